import { type Evidence, type Inference, likely, unknown } from '../evidence.ts';
import { answersOf } from '../outcome.ts';

/** Headers of one answer. Only known names, and known words of their values, ever leave this file. */
type Headers = Readonly<Record<string, string>>;

const headersIn = ({ heard }: Evidence): Headers[] =>
  heard.flatMap(({ answer }) => ('blocked' in answer || !answer.headers ? [] : [answer.headers]));

/** An inference that lists the headers of some names, each with the known words of its values. */
function naming(names: RegExp, wordsOf: (name: string, text: string) => string[] = () => []): Inference {
  return (evidence) => {
    const all = headersIn(evidence);
    if (all.length === 0) return unknown('nothing was answered');
    const found = [...new Set(all.flatMap(Object.keys))].filter((name) => names.test(name)).sort();
    const words = (name: string) => [
      ...new Set(all.flatMap((headers) => wordsOf(name, headers[name] ?? ''))),
    ];
    const answer = found.map((name) => [name, ...bracketed(words(name))].join(' ')).join(', ');
    return { ...likely(answer || 'none'), evidence: [`headers of ${all.length} answers`] };
  };
}

const bracketed = (words: string[]) => (words.length > 0 ? [`(${words.sort().join(' ')})`] : []);

const rateLimits = /^((x-)?rate-?limit(-(limit|remaining|reset|policy|used|[a-z]{1,12}))?|retry-after)$/;
const caching = /^(cache-control|etag|last-modified|expires|age|vary|pragma|x-cache|cdn-cache-control)$/;
const servers = /^(server|via|x-powered-by|x-served-by|x-runtime|x-aspnet-version)$/;
const versions =
  /^((x-)?api-version|(x-)?version|api-(supported|deprecated)-versions|deprecation|sunset|warning)$/;

const directives =
  /\b(no-store|no-cache|private|public|must-revalidate|immutable|max-age|s-maxage|no-transform)\b/g;
const products =
  /\b(nginx|openresty|apache|envoy|cloudflare|caddy|kestrel|microsoft-iis|gunicorn|uvicorn|jetty|tomcat|express|php|asp\.net|akamaighost|cloudfront|varnish|kong|awselb|istio-envoy|traefik)\b/g;

const cachingWords = (name: string, text: string): string[] =>
  name.endsWith('cache-control') ? (text.toLowerCase().match(directives) ?? []) : [];
const productWords = (_: string, text: string): string[] => text.toLowerCase().match(products) ?? [];

const mediaTypeParameters: Inference = (evidence) => {
  const operations = [...new Set(evidence.heard.flatMap(({ operation }) => operation ?? []))];
  const answers = operations.flatMap((operation) => answersOf(evidence, operation));
  const found = answers.flatMap(({ answer }) =>
    'blocked' in answer ? [] : parametersOf(answer.contentType),
  );
  if (found.length === 0) return unknown('nothing was answered with a success');
  const evidenceLine = `Content-Type of ${answers.length} answers`;
  return { ...likely([...new Set(found)].sort().join(', ')), evidence: [evidenceLine] };
};

function parametersOf(contentType = ''): string[] {
  const parameters = contentType.split(';').slice(1);
  if (parameters.length === 0) return ['none'];
  return parameters.map((parameter) => {
    const plain = parameter.trim().toLowerCase().replaceAll('"', '');
    return /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/.test(plain) ? plain : 'another one';
  });
}

export const headers: Record<string, Inference> = {
  'media-type-parameters': mediaTypeParameters,
  'rate-limit-headers': naming(rateLimits),
  'caching-headers': naming(caching, cachingWords),
  'server-headers': naming(servers, productWords),
  'version-headers': naming(versions),
};
