// @ts-check
// Node 20 loads no TypeScript, and loaders that do keep a copy of what they compile on disk: these hooks keep none.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

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
 * Compiles TypeScript. JavaScript is only looked at, since Node does not say in which line a syntax error is.
 * @type {import('node:module').LoadHook}
 */
export async function load(url, context, next) {
  const [, kind = '', language] = /^file:.*\.([cm]?)([jt]s)$/.exec(url.replace(/[?#].*$/, '')) ?? [];
  if (!language || url.includes('/node_modules/')) return next(url, context);
  const source = await compile(fileURLToPath(url), kind, language);
  if (language === 'js') return next(url, context);
  const isModule = kind === 'm' || (kind === '' && /^\s*(import|export)\b/m.test(source));
  return { format: isModule ? 'module' : 'commonjs', source, shortCircuit: true };
}

/**
 * @param {string} file
 * @param {string} kind
 * @param {string} language
 */
async function compile(file, kind, language) {
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
