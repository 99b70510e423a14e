/** Formats numbers, times and names for people. */
export const formatCount = (count: number): string => count.toLocaleString()

const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 })

/** Formats a number; one with many digits without those of a rounding error. */
export const number = (value: number): string => (String(value).length < 10 ? exact : decimal).format(value)

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/** Formats a count. From a million on, it is compact: 2.1B. */
export const formatShortCount = (number: number): string =>
  number < 1e6 ? formatCount(number) : compact.format(number)

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Formats a time in the user's time zone. */
export const formatLocalTime = (time: string): string => date.format(new Date(time))

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Writes `1234.50` as the user's language does, with its decimals. */
export function formatDecimal(text: string, least = 0): string {
  const [, decimals] = text.match(/^-?\d{1,12}\.(\d{1,4})$/) ?? []
  if (decimals === undefined) return text
  const digits = Math.max(least, decimals.length)
  return Number(text).toLocaleString(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
}

/** Formats a text that is a date, such as `2026-01-31`, or a decimal, as the user's language does. Other texts stay. */
export function formatText(text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? formatDecimal(text) : day.format(time)
}

/** Formats a time in UTC, to the microsecond. */
export const formatUtcTime = (time: string): string => time.replace('T', ' ').replace('Z', ' UTC')

/** Formats `MadeIn` as `Made in`. Other names keep their capitals. */
export function humanName(name: string): string {
  const words = name.replace(/([a-z])([A-Z0-9])/g, '$1 $2').split(/[ _]+/)
  return words
    .map((word, index) => (index === 0 || /^\W?[A-Z]{2}/.test(word) ? word : word.toLowerCase()))
    .join(' ')
}

const kinds = new Map([
  ['DefaultProduct', 'Product'],
  ['TrackingRecord', 'Tracking record']
])
export const kindOf = (componentName: string): string => kinds.get(componentName) ?? componentName

/** Returns ` by Ada with Shop`; the client alone if it acted on its own behalf. */
export const describeAuthor = ({ name, clientName }: { name: string; clientName: string }): string =>
  ` by ${name}${name === clientName ? '' : ` with ${clientName}`}`

/** Names of blockchains by their EIP-155 id. */
export const chains: ReadonlyMap<number, string> = new Map([
  [1, 'Ethereum'],
  [10, 'OP Mainnet'],
  [56, 'BNB Smart Chain'],
  [100, 'Gnosis'],
  [137, 'Polygon'],
  [324, 'ZKsync Era'],
  [8453, 'Base'],
  [42161, 'Arbitrum One'],
  [42220, 'Celo'],
  [43114, 'Avalanche'],
  [59144, 'Linea'],
  [80002, 'Polygon Amoy'],
  [84532, 'Base Sepolia'],
  [11155111, 'Sepolia']
])

/** Returns `Ethereum (1)`, or `Blockchain 7` if the blockchain is unknown. */
export const chainName = (id: number): string => {
  const name = chains.get(id)
  return name === undefined ? `Blockchain ${id}` : `${name} (${id})`
}

/** Shortens a list of sentences. The last one then says how many others there are. */
export const limit = (sentences: string[], most: number): string[] =>
  sentences.length > most
    ? [...sentences.slice(0, most), `And ${formatCount(sentences.length - most)} more.`]
    : sentences

export const plural = (number: number, one: string, many = `${one}s`): string =>
  `${formatCount(number)} ${number === 1 ? one : many}`
