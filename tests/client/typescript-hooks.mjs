// @ts-check
// Node 20 loads no TypeScript, and loaders that do keep a copy of what they compile on disk: these hooks keep none.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Finds also what TypeScript would find: `./a.ts` for `./a.js`, and a file by its name without extension.
 * @type {import('node:module').ResolveHook}
 */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    for (const candidate of candidatesFor(specifier)) {
      const found = await Promise.resolve(next(candidate, context)).catch(() => undefined);
      if (found) return found;
    }
    throw error;
  }
}

/** @param {string} specifier */
function candidatesFor(specifier) {
  if (!/^(\.|\/|file:)/.test(specifier)) return [];
  const typed = specifier.replace(/\.([cm]?)js$/, '.$1ts');
  return typed === specifier
    ? ['.ts', '.js', '/index.ts', '/index.js'].map((end) => specifier + end)
    : [typed];
}

/**
 * Compiles TypeScript.
 * @type {import('node:module').LoadHook}
 */
export async function load(url, context, next) {
  const { kind, language } = sourceOf(url);
  if (language !== 'ts') return next(url, context);
  const source = await compile(fileURLToPath(url), kind, language);
  const isModule = kind === 'm' || (kind === '' && /^\s*(import|export)\b/m.test(source));
  return { format: isModule ? 'module' : 'commonjs', source, shortCircuit: true };
}

/**
 * Language and kind of module of a file that is no package's; without a language it is none of these.
 * @param {string} url
 */
export function sourceOf(url) {
  const [, kind = '', language] = /^file:.*\.([cm]?)([jt]s)$/.exec(url.replace(/[?#].*$/, '')) ?? [];
  return { kind, language: url.includes('/node_modules/') ? undefined : language };
}

/**
 * @param {string} file
 * @param {string} kind
 * @param {string} language
 * @throws {SyntaxError} that names file and line
 */
export async function compile(file, kind, language) {
  // Most modules are JavaScript, and need no compiler.
  const { transform } = await import('esbuild');
  try {
    const { code } = await transform(await readFile(file, 'utf8'), {
      loader: language === 'ts' ? 'ts' : 'js',
      ...(kind === 'c' ? { format: 'cjs' } : {}),
      sourcefile: file,
      sourcemap: 'inline',
      sourcesContent: false,
      target: 'node20',
      logLevel: 'silent',
    });
    return code;
  } catch (error) {
    /** @type {{ errors?: { location?: { line: number } }[] }} */
    const { errors } = Object(error);
    throw errors ? new SyntaxError(`${file}:${errors[0]?.location?.line ?? 1}`) : error;
  }
}
