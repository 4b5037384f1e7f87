import { expect, test } from '@playwright/test';
import { judgedTraffic, line } from './judging.ts';

const customers = 'https://api.example/svc/payment/api/v1/openapi/customers';
const customer = { dial_code: '+1', reference_number: 'r', uuid: 'cus-1' };

const customerOf = (uuid: string, dial_code: unknown = '+1') =>
  JSON.stringify({ code: 200, message: '', data: { customer: { ...customer, uuid, dial_code } } });
const listOf = (uuid: string) =>
  line({ body: JSON.stringify({ code: 200, message: '', data: { customers: [{ ...customer, uuid }] } }) });

for (const [name, segment, entry] of [
  ['a file', 'export.csv', { headers: { 'content-type': 'text/csv' }, body: 'a;b' }],
  ['a resource with a digit', 'top10', { body: '{"code":200,"message":"","data":{"items":[]}}' }],
  ['a request by another key', 'by-reference-123', { body: '{"code":200,"message":"","data":{}}' }],
  ['an alias', 'me', { body: customerOf('cus-1') }],
] as const)
  test(`nothing is said of ${name} below the customers`, async () => {
    const text = listOf('cus-1') + line({ url: `${customers}/${segment}`, ...entry });
    const { violated, traffic } = await judgedTraffic(['-'], { text });
    expect(violated).toEqual([]);
    expect(traffic).toMatchObject({ judged: 1, skipped: { 'other path': 1 } });
  });

const lookup = (body: string) => line({ url: `${customers}/top10`, body });

for (const [name, text, expected] of [
  ['that a list has shown', listOf('top10') + lookup('{"code":200,"message":"","data":{}}'), 'data/customer'],
  ['that it shows itself', lookup(customerOf('top10', 1)), 'data/customer/dial_code'],
  ['that was shown before', lookup(customerOf('top10')) + lookup(customerOf('x')), 'rules/id-is-requested'],
] as const)
  test(`a lookup of a customer with an odd identifier ${name} is judged`, async () => {
    expect((await judgedTraffic(['-'], { text })).violated).toEqual([`getCustomer/${expected}`]);
  });
