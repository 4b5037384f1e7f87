import type { Alter, MockAnswer, MockOptions } from '../../mock/server.ts';

type Fields = Record<string, unknown>;

/** Changes the data of successful answers. */
const inSuccess =
  (change: (data: Fields, answer: MockAnswer) => void): Alter =>
  (answer) => {
    const { code, data } = answer.body as { code: number; data: Fields };
    if (answer.status === 200 && code === 200) change(data, answer);
    return answer;
  };

/** Providers that keep the contract, each in a way that a careless suite would refuse. */
export const variations: Record<string, MockOptions> = {
  'offset counts pages': { choices: { offsetCounts: 'pages' } },
  'offset is ignored, and pages are short': { choices: { offsetCounts: 'ignored', defaultLimit: 7 } },
  'refusals are envelopes with HTTP 200': { choices: { refusal: 'http-200' } },
  'refusals are web pages': { choices: { refusal: 'html', unknownParameters: 'refused' } },
  'only customers of stores are listed by default': { choices: { defaultSource: 'Store', maxLimit: 5 } },
  'answers come late, in pieces, whatever the limit is': {
    choices: { chunked: true, delayMs: 30, limitIgnored: true, strictAccept: true },
  },
  'headers that nobody named': {
    choices: { headers: { 'set-cookie': 'a=b', 'x-powered-by': 'x', 'cache-control': 'no-store' } },
    alter: (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'Application/JSON;charset=UTF-8;profile="x"' },
    }),
  },
  'fields that nobody named': {
    alter: inSuccess((data, answer) => {
      Object.assign(answer.body as Fields, { request_id: 'r', at: null });
      Object.assign(data, { total: 75, has_more: true, nested: { deep: [[1.5e3, {}]] } });
    }),
  },
  'nothing to list': {
    alter: inSuccess((data) => {
      for (const name of ['customers', 'fee_rules']) if (name in data) data[name] = [];
    }),
  },
  'a byte order mark and much white space': {
    alter: (answer) => ({ ...answer, raw: `\uFEFF\r\n${JSON.stringify(answer.body, null, '\t')}\n\n` }),
  },
};
