import type { Operation } from '../../../schemas/contract/contract.ts';
import {
  classify,
  classifyStatus,
  isAccessDenied,
  isServerFault,
  isTransient,
} from '../../../schemas/judge/classify-response.ts';
import { quote } from '../../redaction/drafts.ts';

/** The outcome of a request; `label` says it for all but an answer. */
export interface Outcome {
  kind: 'unanswered' | 'unreadable' | 'transient' | 'failed' | 'rejected' | 'redirected' | 'answered';
  label: string;
  /** Set where the status is that of a success, and the body neither a success nor an error code. */
  withoutCode?: true;
  /** Set where the reason is access: the credentials, or a proxy. */
  accessDenied?: true;
}

/** Classifies an answer whose form the contract leaves open. */
export function outcomeOfAnswer(operation: Operation | undefined, status: number, body: unknown): Outcome {
  const any = { status: 0, schema: {}, envelope: {} };
  const { kind, code } = classify(operation ?? any, { status, value: body });
  if (kind === 'success') return { kind: 'answered', label: 'answered' };
  if (kind === 'other') return { kind: 'redirected', label: `answered HTTP ${code}` };
  if (isTransient(kind)) return { kind: 'transient', label: `HTTP ${code}` };
  if (isServerFault(kind)) return { kind: 'failed', label: `server error ${code}` };
  if (code === operation?.status) return { kind: 'rejected', label: `refused as ${code}`, withoutCode: true };
  const denied = isAccessDenied(kind) ? { accessDenied: true as const } : {};
  return { kind: 'rejected', label: `refused as ${quote(String(code), '(code withheld)')}`, ...denied };
}

/** Whether an answer in words is that of a moment: earlier versions have recorded such answers. */
export function isTransientAnswer(answer: string): boolean {
  const [, code] = /^(?:refused as|server error) (\d{3})$/.exec(answer) ?? [];
  return (
    answer === 'no answer' ||
    (code !== undefined && isTransient(classifyStatus({ status: 200 }, Number(code))))
  );
}
