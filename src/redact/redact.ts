import type { Operation } from '../../schemas/contract/contract.ts';
import { pattern } from '../../schemas/contract/nodes.ts';
import { http, ruleAddress } from '../../schemas/contract/requirements.ts';
import { mediaTypeOf } from '../../schemas/judge/classify.ts';
import type { Broken, Exchange, Judged, Undeclared, Violation } from '../../schemas/judge/judged.ts';
import { declaredFieldsRule, rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { atEachKey, atPlace } from './curl.ts';
import { describeMediaType, describeUndeclared, describeValue, redactPointer } from './describe-value.ts';
import { type Shows, showsOf } from './disclosure.ts';
import { type Finding, ledgerPlaceOf, type Observation, type Request, requestSent } from './observation.ts';
import { receivedOf } from './received.ts';
import type { Secrets } from './secrets.ts';

/** Where something was found. */
interface Place {
  operation: Operation;
  request: Request;
  shows: Shows;
}

/** Turns a judged exchange into what may be kept of it: the single point at which values are redacted. */
export function redact(exchange: Exchange, request: Request, judged: Judged, secrets: Secrets): Observation {
  const { operation, parameters, answer, recorded } = exchange;
  const shows = showsOf(secrets, judged.body, operation.schema, ownTexts(operation, parameters));
  const hasBody = recorded?.body !== 'nothing';
  const mediaType = mediaTypeOf(answer.contentType);
  return {
    ...requestSent(request),
    status: answer.status,
    kind: judged.kind,
    contentType: mediaType === operation.mediaType ? mediaType : describeMediaType(mediaType, shows),
    ...(hasBody ? { bytes: answer.body.length } : {}),
    ...(hasBody && !judged.hasEnvelope ? { lacksEnvelope: true } : {}),
    expectsSuccess: !rejectionRuleOf(operation, parameters),
    ...judgedPart(judged, { operation, request, shows }),
  };
}

/** Identifiers that were requested are as restricted as what was found by them. */
const ownTexts = ({ parameters }: Operation, sent: Record<string, string>): string[] =>
  parameters.filter((one) => one['x-identifiers']).flatMap(({ name }) => sent[name] ?? []);

function judgedPart(judged: Judged, place: Place) {
  const { exercised, covered, broken, blocked } = judged;
  const counts = Object.entries(exercised).map(([address, places]) => [address, { places, requests: 1 }]);
  const undeclared = undeclaredFindings(judged, place);
  const kinds = [
    ...broken.map(({ requirement, entry }) => [requirement, kindOf(entry)] as const),
    ...undeclared.map(({ requirement, kind }) => [requirement, kind] as const),
  ];
  const affected: Observation['affected'] = {};
  for (const [requirement, kind] of kinds) affected[requirement] = { ...affected[requirement], [kind]: 1 };
  const tolerated = broken.flatMap(({ entry }) => (entry ? [entry.line] : []));
  return {
    exercised: blocked ? {} : (Object.fromEntries(counts) as Observation['exercised']),
    covered: blocked ? {} : covered,
    findings: [...broken.flatMap((one) => findingsOf(one, place)), ...undeclared],
    affected,
    tolerated: [...new Set(tolerated)],
    ...(blocked ? { blocked } : {}),
  };
}

const kindOf = (entry: Broken['entry']) => (entry ? 'deviation' : 'violation');

/** Those that differ in nothing but array indices are one; what is not among the first violations is counted with the last. */
function findingsOf(broken: Broken, place: Place): Finding[] {
  const groups = new Map<string, Finding & { places: number }>();
  for (const violation of broken.first) {
    const finding = findingOf(violation, broken, place);
    const key = findingKey(finding);
    const known = groups.get(key);
    if (known) known.places += 1;
    else groups.set(key, { ...finding, places: 1 });
  }
  const findings = [...groups.values()];
  const rest = broken.places - broken.first.length;
  return rest > 0 ? [...findings, ...othersOf(findings, rest)] : findings;
}

/** Violations that were only counted: where the first ones are all alike, they are taken to be so as well. */
function othersOf(findings: (Finding & { places: number })[], rest: number): Finding[] {
  const [first, ...others] = findings;
  if (!first) return [];
  if (others.length > 0) return [{ ...withoutForm(first), places: rest, actual: othersText(rest) }];
  first.places += rest;
  return [];
}

const withoutForm = ({ received: _, ...finding }: Finding): Finding => finding;

const othersText = (places: number) => `… and ${places} more places, not listed one by one`;

/** Whether a finding stands for all that were not listed. */
export const isOthers = ({ actual }: Finding): boolean => /^… and \d+ more places/.test(actual);

/** The finding for so many places that are not listed one by one. */
export const othersFinding = (like: Finding, places: number): Finding => ({
  ...withoutForm(like),
  places,
  actual: othersText(places),
});

/** The same for findings that differ in nothing but array indices, and in the request. */
export const findingKey = ({
  kind,
  requirement,
  pointer,
  expected,
  actual,
  because,
  ledger,
}: Finding): string =>
  JSON.stringify([kind, requirement, pattern(pointer), expected, actual, because, ledger?.line]);

function findingOf(violation: Violation, { requirement, entry }: Broken, place: Place): Finding {
  const { operation, request, shows } = place;
  const pointer = redactPointer(operation, violation.pointer, shows);
  const received = entry ? undefined : receivedOf(operation, violation, shows);
  const repeatAt = isAboutKeys(operation, requirement) ? atEachKey : atPlace;
  return {
    kind: kindOf(entry),
    requirement,
    operation: operation.id,
    pointer,
    expected: violation.expected,
    actual: violation.actual ?? describeActual(violation, place),
    ...(received ? { received } : {}),
    exchange: request.exchange,
    ...(entry ? { because: entry.because, ledger: ledgerPlaceOf(entry) } : {}),
    repeat: repeatAt(request.repeat, pointer),
  };
}

const describeActual = ({ requirement, value, schema }: Violation, { operation, shows }: Place): string =>
  requirement === http(operation.id).contentType
    ? describeMediaType(value, shows)
    : describeValue(value, schema, shows);

/** Whether a requirement is broken by a key that is there twice. */
const isAboutKeys = (operation: Operation, requirement: string) =>
  operation.rules.some(
    (rule) => 'uniqueKeys' in rule.check && ruleAddress(operation.id, rule) === requirement,
  );

function undeclaredFindings({ undeclared }: Judged, place: Place): Finding[] {
  const { operation } = place;
  const rule = declaredFieldsRule(operation);
  if (!rule) return [];
  const requirement = ruleAddress(operation.id, rule);
  const first = undeclared.first.map((field: Undeclared) => ({
    ...field,
    requirement,
    value: undefined,
    ...describeUndeclared(field),
  }));
  const broken = { requirement, places: undeclared.places, records: 0, first };
  return findingsOf(broken, place).map(({ received: _, ...finding }) => ({ ...finding, kind: 'undeclared' }));
}
