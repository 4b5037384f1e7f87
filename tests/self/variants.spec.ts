import { expect, test } from '@playwright/test';
import type { Alter, MockAnswer } from '../../mock/server.ts';
import { variants } from '../../mock/variants/index.ts';
import type { Coverage } from '../contract/coverage.ts';
import { judgeProvider } from './provider.ts';

test('names of variants are unique', () => {
  const names = variants.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

for (const { name, settings = {}, deviates = [], alter, ...provider } of variants) {
  test(`variant: ${name}`, async () => {
    const watched = watch(alter);
    const { observed, documented, coverage } = await judgeProvider({ ...provider, ...watched }, settings);
    const raised = ({ violated, deviating, blocked }: typeof observed) => ({ violated, deviating, blocked });
    expect(raised(documented), 'documented profile').toEqual({
      violated: deviates,
      deviating: [],
      blocked: [],
    });
    expect(raised(observed), 'observed profile').toEqual({ violated: [], deviating: deviates, blocked: [] });
    expectSense(coverage);
    const differs = watched.changed() || provider.choices || settings.headers;
    expect(differs, 'differs from the usual provider').toBeTruthy();
  });
}

function expectSense({ nodes, states }: Coverage): void {
  for (const { exercised, total, missing } of [nodes, states]) {
    expect(exercised, 'something is exercised').toBeGreaterThan(0);
    expect(exercised + missing.length, 'coverage adds up').toBe(total);
  }
}

/** The same alteration, and whether any answer was changed by it; without one, what is chosen differs. */
function watch(alter?: Alter): { alter?: Alter; changed: () => boolean } {
  if (!alter) return { changed: () => true };
  let changed = false;
  const watched: Alter = async (answer, request) => {
    const before = print(answer);
    const altered = await alter(answer, request);
    changed ||= print(altered) !== before;
    return altered;
  };
  return { alter: watched, changed: () => changed };
}

const print = ({ status, headers, body, raw = '' }: MockAnswer) =>
  JSON.stringify([status, headers, body, raw.toString('latin1')]);
