/** The first match counts, because many browsers also name the browsers that they are compatible with. */
const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari']
]
const systems: [RegExp, string][] = [
  [/iPhone/, 'an iPhone'],
  [/iPad/, 'an iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux']
]

/** Describes a browser for its user, such as `Firefox on Linux`. The text never contains the header. */
export function describeBrowser(userAgent = ''): string {
  const [browser, system] = [browsers, systems].map(
    names => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  )
  if (system === undefined) return browser ?? 'An unknown browser'
  return `${browser ?? 'A browser'} on ${system}`
}
