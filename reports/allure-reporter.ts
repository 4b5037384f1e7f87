import path from 'node:path';
import { AllureReporter } from 'allure-playwright';
import { lostFolder } from '../tests/run/held-folder.ts';

type Options = ConstructorParameters<typeof AllureReporter>[0];

/** Allure's reporter, which writes nothing more once another run has taken over `REPORTS_DIR`. */
export default class HeldAllureReporter extends AllureReporter {
  readonly #folder: string;

  constructor(options: Options) {
    super(options);
    this.#folder = path.dirname(options.resultsDir ?? '');
  }

  override onStepEnd(...step: Parameters<AllureReporter['onStepEnd']>): void {
    if (this.#mayWrite()) super.onStepEnd(...step);
  }

  override async onTestEnd(...test: Parameters<AllureReporter['onTestEnd']>): Promise<void> {
    if (this.#mayWrite()) await super.onTestEnd(...test);
  }

  override async onEnd(): Promise<void> {
    if (this.#mayWrite()) await super.onEnd();
  }

  #mayWrite = () => lostFolder(this.#folder) === undefined;
}
