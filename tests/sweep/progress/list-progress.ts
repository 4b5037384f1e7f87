import type { SweptList } from '../../exchanges/session.ts';
import type { SweepContext } from '../context.ts';
import { maxLookups } from '../pages/page-step.ts';
import { type ListPlan, recordCountOf } from '../paging/list-plan.ts';
import type { Tally } from '../results/tally.ts';
import { announcement } from './announcement.ts';

/** Tells how far the sweep of a list is, or the part of it that is this one's. */
export class ListProgress {
  readonly #context: SweepContext;
  readonly #list: SweptList;
  readonly #tally: Tally;
  #of: number | undefined;

  constructor(context: SweepContext, list: SweptList, tally: Tally) {
    this.#context = context;
    this.#list = list;
    this.#tally = tally;
  }

  /** @param pageMs how long the first page took, where it was requested just now */
  begin(plan: ListPlan, pageMs: number | undefined): void {
    const { progress, part } = this.#context;
    const { next, judged, shapes } = this.#tally;
    const beginning = { next, lookups: maxLookups - shapes.size, pageMs };
    progress.say(announcement(plan, this.#list, this.#context, beginning));
    progress.begin(judged);
    this.#of = recordCountOf(plan, part);
  }

  giveUp(problem = ''): void {
    this.#context.progress.say(`sweep: the list of ${this.#list.noun} cannot be followed: ${problem}`);
  }

  update(): void {
    this.#context.progress.update(this.#done());
  }

  end(): void {
    this.#context.progress.end(this.#done());
  }

  #done() {
    const { judged: records, violations } = this.#tally;
    return { noun: this.#list.noun, records, of: this.#of, violations };
  }
}
