import { createHash } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { jwtTexts } from '../../redaction/jwt-texts.ts';
import { Secrets } from '../../redaction/secrets.ts';
import { WordFilter } from '../../redaction/word-filter.ts';

const usual =
  'account_number activated_at available_balance billing_address card_brand client_reference created_at credit_limit ' +
  'customer_level daily_limit date_of_birth delivery_status display_name exchange_rate expires_at failure_reason ' +
  'first_name is_virtual last_used_at loyalty_level merchant_category mobile_number nickname postal_code reason ' +
  'refund_amount request_id risk_level total_count transaction_fee updated_at valid_until wallet_balance ' +
  'cache-control content-length content-type etag last-modified retry-after server strict-transport-security vary ' +
  'x-api-version x-cache x-powered-by x-ratelimit-remaining x-request-id x-runtime x-total-count Frozen Suspended';

const touched = (secret: string) => {
  const secrets = new Secrets([secret]);
  return usual.split(' ').filter((word) => secrets.touches(word));
};

test('no usual name is taken for a piece of a random secret', () => {
  for (let number = 0; number < 200; number += 1) {
    const bytes = createHash('sha512').update(`${number}`);
    const secret = bytes.digest(number % 2 ? 'hex' : 'base64').slice(0, 16 + (number % 25));
    expect(touched(secret), secret).toEqual([]);
  }
});

test('of a secret made of words, only names that share five letters with it are', () => {
  expect(touched('GrandOpalToken')).toEqual([]);
  expect(touched('live-test-card-9')).toEqual([]);
  expect(touched('summer-Delivery-77')).toEqual(['delivery_status']);
});

test('a piece of a secret is found by five of its letters, or of eight in an encoding', () => {
  const secrets = new Secrets(['Bearer kiwifruit-4711-lane', 'José']);
  const encoded = Buffer.from('kiwifruit-4711-lane').toString('base64');
  for (const word of [
    'xKiwif',
    'uit4711x',
    'lane',
    'KIWI',
    'myJose',
    encoded.slice(4, 12),
    `x${encoded.slice(8, 16)}`,
  ])
    expect(secrets.touches(word), word).toBe(true);
  for (const word of ['xkiwi', 'my_lane', 'planet', encoded.slice(4, 11), 'Bearer', 'jos'])
    expect(secrets.touches(word), word).toBe(false);
});

test('two short words that stand side by side are found as one, and as no part of a longer word', () => {
  const filter = new WordFilter({ alone: 5, inside: 6 });
  filter.add('Jo Li and others');
  expect(['joli', 'Jo', 'lian', 'joliet'].map((word) => filter.has(word))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

const tokenOf = (claims: unknown) =>
  `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

test('texts inside a JSON Web Token are secrets, up to a bound, and no name of a claim is one', () => {
  const token = tokenOf({ sub: 'Wombatperson', realm: [{ tenant: 'Platypus-tenant' }], n: 'abc', exp: 17 });
  for (const value of [`Bearer ${token}`, `session=${token}; path=/`]) {
    const secrets = new Secrets([value]);
    for (const word of ['Wombatperson', 'platypusTenant', 'xwomba'])
      expect(secrets.touches(word), word).toBe(true);
    for (const word of ['realm', 'n_17', 'abc']) expect(secrets.touches(word), word).toBe(false);
    expect(secrets.mask('for Wombatperson')).toBe('for ***');
  }
  expect(jwtTexts(tokenOf(Array.from({ length: 999 }, (_, place) => `c${place}`)))).toHaveLength(50);
  const many = Array.from({ length: 20_000 }, (_, place) => `claim-${place}`);
  for (const claims of [many, { sub: 'x'.repeat(40_000) }, null, 'alone'])
    expect(() => new Secrets([tokenOf(claims), 'eyJ.', 'eyJ.e30', `eyJ.${'a'.repeat(9)}`])).not.toThrow();
});
