import type { Entry } from '../../schemas/contract/ledger.ts';
import { classifyStatus, mediaTypeOf } from '../../schemas/judge/classify-response.ts';
import type { Exchange, Judgement } from '../../schemas/judge/judgement.ts';
import { rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { carriesEnvelope } from '../../schemas/judge/success-or-error.ts';
import { memoize } from '../../schemas/memoize.ts';
import { type Blocked, type Effort, effortOf } from '../client/http-client.ts';
import { describeMediaType } from '../redaction/describe-value.ts';
import { nothingJudged, type Observation, type Request } from '../redaction/observation.ts';
import { observe } from '../redaction/observe.ts';

const described = memoize((contentType) => describeMediaType(mediaTypeOf(contentType)));

/** What is kept of an exchange that was judged. */
export function observeExchange(
  { operation, parameters, answer, recorded }: Exchange,
  request: Request,
  judgement: Judgement,
  entries: Entry[],
): Observation {
  const { status, contentType, body } = answer;
  const hasBody = recorded?.body !== 'nothing';
  const observation: Observation = Object.assign(observe(operation, request, judgement, entries), {
    expectsSuccess: !rejectionRuleOf(operation, parameters),
    status,
    response: classifyStatus(operation, status),
    contentType: contentType === undefined ? describeMediaType(undefined) : described(contentType),
  });
  if (hasBody && !carriesEnvelope(operation, answer)) observation.lacksEnvelope = true;
  if (hasBody) observation.bytes = body.length;
  return observation;
}

/** What is kept of a request without a response that could be judged. */
export const observeBlocked = (
  request: Request,
  answer: Blocked & Effort,
  expectsSuccess: boolean,
): Observation => ({
  ...request,
  expectsSuccess,
  ...nothingJudged(),
  blocked: answer.blocked,
  ...(answer.notSent ? { notSent: true } : {}),
  ...effortOf(answer),
});
