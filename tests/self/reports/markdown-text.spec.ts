import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { markdownCode, markdownOf, markdownText } from '../../../reports/markdown.ts';
import { withChanges } from '../../../src/verdict/changes.ts';
import { broken, reportOf } from './report-outputs.ts';

/** Each kind of markup that shows, hides or leads to something else; and what notifies people, or refers to an issue. */
const hostile =
  '![x](http://a.example/p.png) [y](javascript:alert(1)) <img src=x> **b** _i_ <!-- ` |\n# z @team a#12 GH-3';

/** What stands in Markdown as markup: without code, what is escaped, and the suite's own tags. */
const markupIn = (markdown: string) =>
  markdown
    .replace(/\\([@#])|\\[^\w\s]/g, '$1')
    .replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '')
    .replace(/<\/?(details|summary)>/g, '');

const texts = /^(target|because|reason|statement|actual|expected|answer|question|exchange|repeat)$/;

test('a name and every other text of a run is text in conformance.md', async () => {
  const run = withChanges(await reportOf(broken, { failOnDrift: true }), await reportOf());
  const replaced: Conformance = JSON.parse(JSON.stringify(run), (name, value) =>
    texts.test(name) && typeof value === 'string' ? hostile : value,
  );
  const markdown = markdownOf({ ...replaced, notes: [hostile] });
  expect(markdown.split('javascript:').length).toBeGreaterThan(8);
  expect(markupIn(markdown)).not.toMatch(/[<[\]]|^# z|@team|#12|GH-3/m);
  expect(markdown.split('\n')[0]).toBe(
    '## ❌ fail · lookup API conformance of \\!\\[x\\](http://a.example/p.png) \\[y\\](javascript:alert(1)) &lt;img src=x\\> \\*\\*b\\*\\* \\_i\\_ &lt;\\!-- \\` \\| \\# z @&#8203;team a\\#&#8203;12 GH-&#8203;3',
  );
});

test('names of variables and names in backticks stay as they are', () => {
  expect(markdownText('`p_user_id` of FAIL_ON_DRIFT, `a|b`')).toBe('`p_user_id` of FAIL_ON_DRIFT, `a\\|b`');
  expect(markdownText('__a__ ~~b~~ _c_d_')).toBe('\\_\\_a\\_\\_ \\~\\~&#8203;b\\~\\~ \\_c_d\\_');
  expect(markdownText('@team #12, a/b@1f, !3 $4 %5 &6 ~7 ^8 5 % a@b.example')).toBe(
    '@&#8203;team \\#&#8203;12, a/b@&#8203;1f, \\!&#8203;3 $&#8203;4 %&#8203;5 &amp;&#8203;6 \\~&#8203;7 ^&#8203;8 5 % a@&#8203;b.example',
  );
  // Two backticks would begin code that ends elsewhere.
  expect(markdownText('```[x](y)`')).toBe('\\`\\`\\`\\[x\\](y)\\`');
  expect(markdownText('`a``[x](y)`')).toBe('\\`a\\`\\`\\[x\\](y)\\`');
  expect(markdownCode('a | b')).toBe('`a | b`');
  expect(markdownCode('a ``b` \n')).toBe('``` a ``b`   ```');
});
