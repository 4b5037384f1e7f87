import { html } from 'hono/html';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/types.ts';
import { formatCount } from '../../schemas/counted.ts';
import { getLastStep } from '../../schemas/json.ts';
import { plainCurl, quoteAddressForShell, quoteShellVariable } from '../../src/redact/curl.ts';
import { selectFindings } from '../conformance.ts';
import { isAnswered } from '../last-seen.ts';
import { formatObservedTitle, renderQuestion } from './answers.ts';
import { type Html, renderFold, renderProse } from './html.ts';
import type { ContractPageData } from './page-data.ts';
import { adviseClient, selectLedgerEntries } from './places.ts';

/* "For your client": how to call an operation, and its errors. Promises of the contract are apart from observed behaviour. */

export function renderClientBox(page: ContractPageData, operation: Operation): Html {
  const { id, mediaType, status } = operation;
  const sections: [title: string, content: Html][] = [
    ['Request to copy', renderCurlCommands(operation)],
    [
      'Send',
      html`<p>Header <code>Accept: ${mediaType}</code>, the headers that your provider demands, and no body. The base address is what your provider gave you; it may end in a path.</p>`,
    ],
    [
      'Authentication',
      html`${renderNotPromised('how to authenticate, and the response to missing or wrong credentials. Ask your provider.')}${renderAnswers(page, ['no-credentials'])}`,
    ],
    [
      'Success',
      html`<p><b>Promised:</b> HTTP ${status}, <code>Content-Type: ${mediaType}</code>${renderCode(operation)}.</p>${renderBrokenStatus(page, id)}`,
    ],
    [
      'Null values',
      html`<p><b>Promised:</b> no field of a success is null. A field may be absent if its row says “optional”.</p>`,
    ],
  ];
  const amounts = renderAmounts(page, id);
  if (amounts) sections.push(['Amounts', amounts]);
  sections.push([
    'Rate limit',
    html`${renderNotPromised('whether there is a rate limit. Be prepared for HTTP 429.')}${renderAnswers(page, ['rate-limit-headers'])}`,
  ]);
  if (isPaged(operation)) sections.push(['Read all pages', renderPaging(page, operation)]);
  const renderSection = ([title, content]: [title: string, content: Html]) => {
    const sectionId = `${id}/client/${title.toLowerCase().replaceAll(' ', '-')}`;
    return html`<div><dt id="${sectionId}">${title}</dt><dd>${content}</dd></div>`;
  };
  return renderFold('For your client', '', html`<dl class="client">${sections.map(renderSection)}</dl>`);
}

export const renderErrorBox = (page: ContractPageData, operation: Operation): Html =>
  renderFold(
    'Errors',
    '',
    html`<dl class="client errors"><div><dt class="hidden" id="${operation.id}/client/errors">Errors</dt><dd>${renderErrors(page, operation)}</dd></div></dl>`,
  );

const renderCode = ({ envelope }: Operation): Html | '' =>
  envelope.code
    ? html`, and <code>${envelope.code.pointer.slice(1)}</code> in the body is ${String(envelope.code.value)}`
    : '';

function renderBrokenStatus({ run }: ContractPageData, operationId: string): Html | '' {
  const address = `${operationId}/http/status`;
  const violation = selectFindings(run, 'violation').find(({ requirement }) => requirement === address);
  return violation
    ? html`<p><b>Broken in this run:</b> ${renderProse(violation.actual)} (<a href="#${address}">details</a>)</p>`
    : '';
}

function renderAmounts(page: ContractPageData, operationId: string): Html | undefined {
  const { contract } = page;
  const decimalQuestions = listDecimalQuestions(contract, operationId);
  if (decimalQuestions.length === 0) return undefined;
  const addresses = decimalQuestions.flatMap(({ values: fieldAddresses = [] }) => fieldAddresses);
  const knownDeviations = addresses.flatMap((address) => selectLedgerEntries(page, address));
  const advice = knownDeviations.flatMap(adviseClient);
  const questionIds = decimalQuestions.map(({ id }) => id);
  return html`<p><b>Promised:</b> decimal numbers written as strings.</p>
    ${advice.map((sentence) => html`<p>${renderProse(sentence)}</p>`)}
    ${renderNotPromised('how many decimals they have, and how they are rounded.')}${renderAnswers(page, questionIds)}`;
}

function listDecimalQuestions({ questions }: Contract, operationId: string): Question[] {
  const isAboutOperation = ({ values: fieldAddresses = [] }: Question) =>
    fieldAddresses.some((address) => address.startsWith(`${operationId}/`));
  return questions.filter((question) => question.form === 'decimal' && isAboutOperation(question));
}

function renderCurlCommands(operation: Operation): Html {
  const commands = buildExampleQueries(operation).map((query) => {
    const address = formatPath(operation) + query;
    return `${plainCurl} ${quoteAddressForShell(address)}`;
  });
  return html`${commands.map((command) => html`<pre tabindex="0"><code>${command}</code></pre>`)}`;
}

const formatPath = ({ path }: Operation) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => formatPlaceholder(name));

/** Formats a parameter as a shell variable for a curl command. The parameter `user_id` becomes `${USER_ID:?}`. */
function formatPlaceholder(name: string): string {
  const quotedVariable = quoteShellVariable(name.toUpperCase());
  // Without its quotes, because the whole address is quoted.
  return quotedVariable.slice(1, -1);
}

function buildExampleQueries(operation: Operation): string[] {
  const enumerated = listRequiredParameters(operation).find(({ schema }) => schema.enum);
  if (!enumerated) return [buildExampleQuery(operation)];
  const { name, schema } = enumerated;
  const documentedValues = schema.enum ?? [];
  return documentedValues.map((value) => buildExampleQuery(operation, { name, value }));
}

const listRequiredParameters = ({ parameters }: Operation) =>
  parameters.filter((parameter) => parameter.in === 'query' && parameter.required);

type ParameterValue = { name: string; value: unknown };

/**
 * Builds the query of an example request, such as `?type=user&user_id=${USER_ID:?}`.
 * The query has all required parameters. If the operation is paged, the query also has `limit=20` and `offset=0`.
 * Some parameters are required only for one value of another parameter. For example, `type=user` requires `user_id`.
 * If `given` is such a value, the query also has the parameters that `given` requires.
 * @param given required parameter with one of its documented values. Every other required parameter gets a shell variable.
 *   If `given` is undefined, every required parameter gets a shell variable.
 * @returns an empty text if the query has no parameters
 */
function buildExampleQuery(operation: Operation, given?: ParameterValue): string {
  const requiredNames = listRequiredParameters(operation).map(({ name }) => name);
  const neededNames = given ? listNeededParameters(operation, given) : [];
  const pairs = [...requiredNames, ...neededNames].map((name) => {
    const value = name === given?.name ? given.value : formatPlaceholder(name);
    return `${name}=${value}`;
  });
  if (isPaged(operation)) pairs.push('limit=20', 'offset=0');
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const listNeededParameters = ({ rules }: Operation, { name, value }: ParameterValue): string[] =>
  rules.flatMap(({ check }) => ('needs' in check && check.when[name] === value ? check.needs : []));

const isPaged = ({ parameters }: Operation): boolean =>
  ['limit', 'offset'].every((name) => parameters.some((parameter) => parameter.name === name));

const pagingQuestionIds = [
  'limit-honoured',
  'default-page-size',
  'greatest-page-size',
  'offset-unit',
  'beyond-the-end',
  'order-stability',
];

type PagingTexts = Record<'offsetStep' | 'startAtOffset1', string>;

/** Texts about paging, keyed by the unit of `offset`. `offset` counts `records` or `pages`. */
const pagingTextsByUnit: Record<string, PagingTexts> = {
  records: { offsetStep: 'the number of records received', startAtOffset1: 'the second record of the page' },
  pages: { offsetStep: '1', startAtOffset1: 'the record after the last one of the page' },
};

function renderPaging(page: ContractPageData, { rules }: Operation): Html {
  const findAnswer = (questionId: string) => page.answers.find(({ id }) => id === questionId)?.answer ?? '';
  const textsOfUnit = pagingTextsByUnit[findAnswer('offset-unit')];
  const endsWithEmptyPage = findAnswer('beyond-the-end') === 'an empty list';
  const [uniqueField] = rules.flatMap(({ check }) => ('unique' in check ? getLastStep(check.unique) : []));
  const recipe =
    textsOfUnit && endsWithEmptyPage
      ? renderPagingRecipe(textsOfUnit, uniqueField)
      : html`<p>This run has not seen how to reach the end of the list.</p>`;
  return html`${recipe}
    <p><b>Promised:</b> the parameters are accepted.</p>
    ${renderNotPromised('page sizes, what `offset` counts, the order, and that the page after the end is empty.')}${renderAnswers(page, pagingQuestionIds)}`;
}

const renderPagingRecipe = ({ offsetStep, startAtOffset1 }: PagingTexts, uniqueField: string | undefined) =>
  html`<p>Begin with <code>offset=0</code>. After each page, add ${offsetStep} to <code>offset</code>. Stop at a page without a new record${uniqueField && html` (by <code>${uniqueField}</code>)`}. Skip records that you already have: nobody promises their order. First check that the page at <code>offset=1</code> begins with ${startAtOffset1} at <code>offset=0</code>: if <code>offset</code> counts something else than in this run, the loop skips or repeats records.</p>`;

function renderErrors(page: ContractPageData, operation: Operation): Html {
  const { id, status, mediaType } = operation;
  const errorLines = renderErrorResponses(page, id);
  const hasOwnErrors = errorLines.length > 0;
  const rejectionIds = listRejectionIds(page, id);
  // Without error responses of this operation, shows the answer about the error responses of all operations (`refusal-form`).
  const answerIds = hasOwnErrors ? rejectionIds : ['refusal-form', ...rejectionIds];
  return html`<p>A success has HTTP ${status}, <code>${mediaType}</code>${renderCode(operation)}. Treat everything else as an error.</p>
    ${renderNotPromised('status and body of an error response: expect any.')}${renderAnswers(page, answerIds, errorLines)}`;
}

function renderErrorResponses({ run }: ContractPageData, id: string): Html[] {
  const { errorResponses = [] } = run;
  const ownErrorResponses = errorResponses.filter(({ operation }) => operation === id);
  return ownErrorResponses.map(
    ({ responses, statuses, body }) =>
      html`<li>${formatCount(responses, 'error response')} (HTTP ${statuses.join(', ')}): ${renderProse(body)}</li>`,
  );
}

function listRejectionIds({ answersByAddress }: ContractPageData, operationId: string): string[] {
  const answersAboutOperation = answersByAddress.get(operationId) ?? [];
  const rejections = answersAboutOperation.filter(({ answer }) => answer.startsWith('refused'));
  return rejections.map(({ id }) => id);
}

/** Lists the ids of questions whose answers stand in a box of the operation: "Errors" or "For your client". */
export const listIdsInBoxes = (page: ContractPageData, operation: Operation): string[] => [
  ...listRejectionIds(page, operation.id),
  ...(isPaged(operation) ? pagingQuestionIds : []),
];

const renderNotPromised = (text: string): Html => html`<p><b>Not promised:</b> ${renderProse(text)}</p>`;

function renderAnswers(page: ContractPageData, ids: string[], leadingEntries: Html[] = []): Html {
  const knownAnswers = page.answers.filter(isAnswered);
  const answers = ids.flatMap((id) => knownAnswers.filter((answer) => answer.id === id));
  const answerEntries = answers.map((answer) => renderQuestion(page, answer));
  const list = [...leadingEntries, ...answerEntries];
  const title = html`<b>${formatObservedTitle(page)}</b>`;
  return list.length > 0
    ? html`<p>${title}</p><ul>${list}</ul>`
    : html`<p>${title} nothing, because no response of this run shows it.</p>`;
}
