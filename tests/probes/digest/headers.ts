/** Headers of one answer. Only known names, and known words of their values, ever leave this file. */
type Headers = Readonly<Record<string, string>>;

/** Names of headers by what they describe. */
export const headerNames = {
  rateLimits: /^((x-)?rate-?limit(-(limit|remaining|reset|policy|used|[a-z]{1,12}))?|retry-after)$/,
  caching: /^(cache-control|etag|last-modified|expires|age|vary|pragma|x-cache|cdn-cache-control)$/,
  servers: /^(server|via|x-powered-by|x-served-by|x-runtime|x-aspnet-version)$/,
  versions:
    /^((x-)?api-version|(x-)?version|api-(supported|deprecated)-versions|deprecation|sunset|warning)$/,
};

const directives =
  /\b(no-store|no-cache|private|public|must-revalidate|immutable|max-age|s-maxage|no-transform)\b/g;
const products =
  /\b(nginx|openresty|apache|envoy|cloudflare|caddy|kestrel|microsoft-iis|gunicorn|uvicorn|jetty|tomcat|express|php|asp\.net|akamaighost|cloudfront|varnish|kong|awselb|istio-envoy|traefik)\b/g;

/** What is read of a name, and of a value. */
const [longestName, longestValue] = [40, 2000];

/** The headers of an answer that questions ask for, each with the known words of its value. */
export function knownHeaders(headers: Headers): Map<string, string[]> {
  const names = Object.keys(headers).filter(
    (name) => name.length <= longestName && Object.values(headerNames).some((known) => known.test(name)),
  );
  return new Map(names.map((name) => [name, wordsOf(name, headers[name] ?? '')]));
}

function wordsOf(name: string, value: string): string[] {
  const text = value.slice(0, longestValue).toLowerCase();
  if (name.endsWith('cache-control')) return unique(text.match(directives));
  return headerNames.servers.test(name) ? unique(text.match(products)) : [];
}

const unique = (values: string[] | null) => [...new Set(values)];
