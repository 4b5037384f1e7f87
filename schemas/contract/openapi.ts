import type { OpenAPIV3_1 } from 'openapi-types';
import type { Contract, Operation, Parameter, Schema } from './contract.ts';
import { documentShape } from './document-shape.ts';
import { resolve } from './references.ts';
import { checkShape } from './shape.ts';
import { mistakeAt, type Step, type YamlFile } from './yaml.ts';

/** An operation of the document as its shape promises it. */
interface DocumentOperation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  'x-source': string;
  parameters?: unknown[];
  responses: Record<string, Sourced & { content: Record<string, Sourced & Content> }>;
}

interface Sourced {
  'x-source'?: string;
}

interface Content {
  schema: unknown;
  examples?: Operation['examples'];
}

/** What is read of `openapi.yaml`. */
type FromDocument = Pick<Contract, 'title' | 'summary' | 'operations' | 'components'>;

/** Reads `openapi.yaml`. @throws {ContractError} at the first mistake. */
export function readOpenapi(file: YamlFile): FromDocument {
  checkShape(file, documentShape);
  const { info, paths, components } = file.value as OpenAPIV3_1.Document;
  const operations = Object.entries(paths ?? {}).map(([path, item]) =>
    operationOf(file, path, item?.get as unknown as DocumentOperation),
  );
  for (const [index, { id, path }] of operations.entries())
    if (operations.findIndex((other) => other.id === id) < index)
      throw mistakeAt(
        file,
        ['paths', path, 'get', 'operationId'],
        `the operationId ${id} of ${path} is taken; choose another one`,
      );
  const steps = ['components', 'schemas'];
  const schemas = resolve(file, { value: components?.schemas ?? {}, steps }) as Contract['components'];
  return { title: info.title, summary: info.summary ?? '', operations, components: schemas };
}

function operationOf(file: YamlFile, path: string, get: DocumentOperation): Operation {
  const steps: Step[] = ['paths', path, 'get'];
  const [[status, response]] = onlyEntry(get.responses);
  const [[mediaType, content]] = onlyEntry(response.content);
  const at = [...steps, 'responses', status, 'content', mediaType, 'schema'];
  const source = get['x-source'];
  const statusSource = response['x-source'] ?? source;
  const schema = resolve(file, { value: content.schema, steps: at }) as Schema;
  return {
    id: get.operationId,
    path,
    tag: get.tags?.[0] ?? '',
    summary: get.summary ?? '',
    description: get.description ?? '',
    source,
    sources: { status: statusSource, mediaType: content['x-source'] ?? statusSource },
    parameters: parametersOf(file, path, get),
    status: Number(status),
    mediaType,
    schema,
    envelope: envelopeOf(schema),
    examples: content.examples ?? {},
    rules: [],
    otherNames: [],
  };
}

/** The shape promises exactly one. */
const onlyEntry = <T>(map: Record<string, T>) => Object.entries(map) as [[string, T]];

function parametersOf(file: YamlFile, path: string, { parameters = [] }: DocumentOperation): Parameter[] {
  const steps: Step[] = ['paths', path, 'get', 'parameters'];
  const all = resolve(file, { value: parameters, steps }) as Parameter[];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const fail = (at: Step[], says: string) => mistakeAt(file, at, `${path}: ${says}`);
  for (const [index, { name, in: place, required }] of all.entries()) {
    const at = [...steps, index, 'name'];
    if (all.findIndex((other) => other.name === name) < index)
      throw fail(at, `the parameter ${name} is there twice; remove one`);
    if (place !== 'path') continue;
    if (!inPath.includes(name)) throw fail(at, `the path has no {${name}}; correct the name or the path`);
    if (!required) throw fail(at, `the path parameter ${name} needs \`required: true\`; add it`);
  }
  const missing = inPath.find((name) => !all.some((one) => one.in === 'path' && one.name === name));
  if (missing) throw fail(['paths', path], `{${missing}} of the path is no parameter; describe it`);
  return all;
}

/** Where a success says that it is one: the field with a constant, and the object that it requires. */
function envelopeOf({ properties = {}, required = [] }: Schema): Operation['envelope'] {
  const fields = Object.entries(properties);
  const code = fields.find(([, schema]) => schema.const !== undefined);
  const payload = fields.find(([name, { type }]) => type === 'object' && required.includes(name));
  return {
    ...(code ? { code: { pointer: `/${code[0]}`, value: code[1].const } } : {}),
    ...(payload ? { payload: `/${payload[0]}` } : {}),
  };
}
