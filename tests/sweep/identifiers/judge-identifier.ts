import type { Operation, Parameter } from '../../../schemas/contract/contract.ts';
import { toleration } from '../../../schemas/contract/ledger.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import type { CircuitBreaker } from '../../client/circuit-breaker.ts';
import { identifierLineInShell } from '../../client/curl.ts';
import { effortOf } from '../../client/http-client.ts';
import { fileVariableOf, isOtherPath } from '../../configuration/identifier-variables.ts';
import { observeExchange } from '../../exchanges/observe-exchange.ts';
import { type Argument, type Arguments, pathOf, requestOf, valuesOf } from '../../exchanges/request.ts';
import type { Exchanges } from '../../exchanges/session.ts';
import { nothingJudged, type Observation } from '../../redaction/observation.ts';
import type { SweepContext } from '../context.ts';
import type { IdentifierLine } from './identifier-lines.ts';

/** A file of identifiers, and what they are requested with. */
export interface IdentifierFile {
  operation: Operation;
  parameter: Parameter;
  /** The variable of identifiers, and the file that has more of them. */
  variable: string;
  file: string;
  byIdentifier: NonNullable<Exchanges['byIdentifier']>;
}

const unfit = '`.` and `..` name another path in an address: remove the line';

/** What one identifier has shown. */
interface JudgedIdentifier {
  line: number;
  observation: Observation;
  broken: Set<string>;
}

/** Requests an identifier, and judges the response like any other. */
export async function judgeIdentifier(
  { client, entries, curl, target }: SweepContext,
  source: IdentifierFile,
  line: IdentifierLine,
  breaker: CircuitBreaker,
): Promise<JudgedIdentifier> {
  const { operation } = source;
  const parameters = parametersOf(source, line);
  const request = requestOf(operation, parameters, curl);
  const isUnfit = source.parameter.in === 'path' && isOtherPath(line.identifier);
  const answer = isUnfit ? { blocked: unfit } : await client.get(pathOf(operation, parameters), breaker);
  const broken = new Set<string>();
  if ('blocked' in answer) {
    const unjudged = { expectsSuccess: true, ...nothingJudged() };
    return { line: line.line, observation: { ...request, ...unjudged, ...answer }, broken };
  }
  const exchange = { operation, parameters: valuesOf(parameters), answer };
  const judgement = judge(exchange);
  const observation = observeExchange(exchange, request, judgement, entries);
  const isSuccess = observation.response === 'success';
  for (const violation of isSuccess ? judgement.violations : [])
    if (target.profile !== 'observed' || !toleration(violation, entries, judgement.body))
      broken.add(violation.requirement);
  return { line: line.line, observation: { ...observation, ...effortOf(answer) }, broken };
}

function parametersOf(
  { parameter, variable, byIdentifier }: IdentifierFile,
  { identifier, line }: IdentifierLine,
): Arguments {
  const name = fileVariableOf(variable);
  const argument: Argument = {
    value: identifier,
    label: `{${name}, line ${line}}`,
    shell: identifierLineInShell(name, line),
    configured: true,
  };
  return byIdentifier[variable]?.(argument) ?? { [parameter.name]: argument };
}
