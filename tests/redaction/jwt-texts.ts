/** Enough for the claims of a token; what is more is not learned. */
const maxTexts = 50;
const maxEncodedLength = 32_768;

/** Texts that stand in the payload of each JSON Web Token (RFC 7519) of a value: who is meant may be named there. */
export const jwtTexts = (value: string): string[] =>
  value.split(/[^\w.-]+/).flatMap((word) => {
    const [head = '', payload = ''] = word.split('.', 2);
    return head.startsWith('eyJ') && payload.length <= maxEncodedLength ? textsIn(parsed(payload)) : [];
  });

function parsed(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function textsIn(payload: unknown): string[] {
  const texts = new Set<string>();
  const values = [payload];
  for (const value of values) {
    if (texts.size >= maxTexts) break;
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) values.push(inner);
  }
  return [...texts];
}
