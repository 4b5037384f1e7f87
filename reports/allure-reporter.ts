import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import { AllureReporter } from 'allure-playwright';
import { lostFolder } from '../tests/run/held-folder.ts';
import { writeWhole } from '../tests/run/whole-file.ts';

type Options = ConstructorParameters<typeof AllureReporter>[0];

/** Allure's reporter, which writes nothing more once another run has taken over `REPORTS_DIR`. */
export default class HeldAllureReporter extends AllureReporter {
  readonly #folder: string;
  readonly #resultsDir: string;

  constructor(options: Options) {
    super(options);
    this.#resultsDir = options.resultsDir ?? '';
    this.#folder = path.dirname(this.#resultsDir);
  }

  override onBegin(...suite: Parameters<AllureReporter['onBegin']>): void {
    super.onBegin(...suite);
    const { writer } = Reflect.get(this, 'allureRuntime') as ReporterRuntime;
    writer.writeResult = (result) => writeResult(this.#resultsDir, result);
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

/**
 * Allure by itself waits until the disk has each result. There is one for each test, and files that the disk has take a tenth of
 * a run to be removed by the next one.
 */
function writeResult(folder: string, result: { uuid: string }): void {
  mkdirSync(folder, { recursive: true });
  writeWhole(path.join(folder, `${result.uuid}-result.json`), JSON.stringify(result));
}
