import { type GateResult, gateSentence } from '../tests/verdict/gates.ts';
import type { Conformance } from './conformance.ts';

/** Gates that did not pass; reports of version 1 name none. */
export const failedGates = ({ gates = [] }: Conformance): GateResult[] =>
  gates.filter(({ verdict }) => verdict !== 'pass');

/** A sentence for each gate that did not pass: its variable, what it found, where to read on. */
export const gateLines = (conformance: Conformance): string[] =>
  failedGates(conformance).map((gate) => `${gate.verdict}: ${gateSentence(gate)}`);
