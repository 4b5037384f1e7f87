import { quoteName } from '../../redaction/describe-value.ts';
import { headerNames } from '../digest/headers.ts';
import { type Evidence, type Inference, likely, unknown } from '../evidence.ts';

/** An inference that lists the headers of some names, each with the known words of its values. */
function naming(names: RegExp): Inference {
  return ({ recorded, disclosure }: Evidence) => {
    const all = recorded.flatMap(({ digest }) => (digest ? [digest.headers] : []));
    if (all.length === 0) return unknown('nothing was answered');
    const found = [...new Set(all.flatMap((one) => [...one.keys()]))].filter((name) => names.test(name));
    const shown = found.sort().map((name) => {
      const values = new Set(all.flatMap((one) => one.get(name) ?? []));
      return disclosure.render(quoteName(name)) + bracketed([...values]);
    });
    return {
      ...likely([...new Set(shown)].join(', ') || 'none'),
      evidence: [`headers of ${all.length} answers`],
    };
  };
}

const bracketed = (values: string[]) => (values.length > 0 ? ` (${values.sort().join(' ')})` : '');

const mediaTypeParameters: Inference = ({ recorded }) => {
  const answers = recorded.flatMap(({ operation, outcome, digest }) =>
    operation && digest && outcome.kind === 'answered' ? digest : [],
  );
  if (answers.length === 0) return unknown('nothing was answered with a success');
  const found = answers.flatMap(({ contentType }) => parametersOf(contentType));
  const evidenceLine = `Content-Type of ${answers.length} answers`;
  return { ...likely([...new Set(found)].sort().join(', ')), evidence: [evidenceLine] };
};

function parametersOf(contentType: string): string[] {
  const parameters = contentType.split(';').slice(1);
  if (parameters.length === 0) return ['none'];
  return parameters.map((parameter) => {
    const plain = parameter.trim().toLowerCase().replaceAll('"', '');
    return /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/.test(plain) ? plain : 'another one';
  });
}

/** How the questions about headers are answered. */
export const headers: Record<string, Inference> = {
  'media-type-parameters': mediaTypeParameters,
  'rate-limit-headers': naming(headerNames.rateLimits),
  'caching-headers': naming(headerNames.caching),
  'server-headers': naming(headerNames.servers),
  'version-headers': naming(headerNames.versions),
};
