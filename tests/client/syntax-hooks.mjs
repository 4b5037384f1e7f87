// @ts-check
// Node does not say in which line a syntax error of JavaScript is: these hooks do, for a module that could not be loaded.
import { fileURLToPath } from 'node:url';
import { compile, sourceOf } from './typescript-hooks.mjs';

/**
 * Under another address, since Node keeps what it could not load.
 * @type {import('node:module').ResolveHook}
 */
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return sourceOf(found.url).language ? { ...found, url: `${found.url}?looked-at` } : found;
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const { kind, language } = sourceOf(url);
  if (language === 'js') await compile(fileURLToPath(url), kind, language);
  return next(url, context);
}
