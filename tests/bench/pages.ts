import { registerSchema, type SchemaObject, validate } from '@hyperjump/json-schema/draft-2020-12';
import OpenAPIResponseValidator from 'openapi-response-validator';
import { createPopulation } from '../../mock/population/population.ts';
import { loadContract, type Operation } from '../../schemas/contract/contract.ts';
import { validatorOf } from '../../schemas/contract/validators.ts';
import { judge } from '../../schemas/judge/judge.ts';
import { observeExchange } from '../exchanges/observe-exchange.ts';
import { requestOf } from '../exchanges/request.ts';
import { type Figure, timesOf } from './measure.ts';

const rounds = 80;

/** A page of a thousand customers, as it is received. */
function pageText(): string {
  const customers = createPopulation({ customers: 2000 }).list('all', 500, 1500);
  return JSON.stringify({ code: 200, message: 'Success', data: { customers } });
}

/** Judging a page by everything, beside `JSON.parse` of its text, ajv alone, and two other validators on the parsed page. */
export async function pageFigures(): Promise<Figure[]> {
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
  const times = await timesOf(await waysToJudge(operation), rounds);
  const ratio = (name: string, ms: number, target?: number): Figure => ({
    name: `${name} ÷ JSON.parse`,
    value: ms / times.parse,
    unit: 'ratio',
    ...(target === undefined ? {} : { target }),
  });
  return [
    { name: 'JSON.parse of a page of 1,000 customers', value: times.parse, unit: 'ms' },
    { name: 'judging it, everything', value: times.judge, unit: 'ms' },
    ratio('judging a page, everything', times.judge, 3),
    ratio('ajv alone, of the parsed page', times.ajv),
    ratio('openapi-response-validator, of the parsed page', times.openapi),
    ratio('@hyperjump/json-schema, of the parsed page', times.hyperjump),
  ];
}

async function waysToJudge(operation: Operation) {
  const text = pageText();
  const page: unknown = JSON.parse(text);
  const request = requestOf(operation, {});
  const ajv = validatorOf(operation.schema, 'the page');
  const others = await alternatives(operation);
  return {
    parse: () => JSON.parse(Buffer.from(text).toString()),
    judge: () => {
      // A copy each time: what was read of a body is kept for as long as the body is.
      const answer = { status: 200, contentType: 'application/json', body: Buffer.from(text) };
      const exchange = { operation, parameters: {}, answer };
      return observeExchange(exchange, request, judge(exchange), []);
    },
    ajv: () => ajv(page),
    openapi: () => others.openapi(page),
    hyperjump: () => others.hyperjump(page),
  };
}

/** Other validators with the same schema. */
async function alternatives({ schema }: Operation) {
  const plain = JSON.parse(JSON.stringify(schema, withoutExtensions));
  const id = 'https://example.com/page';
  registerSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...plain } as SchemaObject, id);
  const hyperjump = await validate(id);
  const openapi = new OpenAPIResponseValidator.default({ responses: { 200: { schema: plain } } } as never);
  return {
    openapi: (page: unknown) => openapi.validateResponse(200, page),
    hyperjump: (page: unknown) => hyperjump(page as never),
  };
}

const withoutExtensions = (name: string, value: unknown) => (name.startsWith('x-') ? undefined : value);
