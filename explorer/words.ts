/** Numbers, times and names as people read them. */
export const count = (number: number): string => number.toLocaleString()

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/** From a million on in short: 2.1B. */
export const shortCount = (number: number): string => (number < 1e6 ? count(number) : compact.format(number))

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time of the service in the local zone. */
export const localTime = (time: string): string => date.format(new Date(time))

/** The same in UTC, to the microsecond. */
export const exactTime = (time: string): string => time.replace('T', ' ').replace('Z', ' UTC')

/** `MadeIn` as `Made in`; what is not in camel case stays. */
export function humanName(name: string): string {
  const words = name.replace(/([a-z])([A-Z0-9])/g, '$1 $2').split(/[ _]+/)
  return words
    .map((word, index) => (index === 0 || /^[A-Z]{2}/.test(word) ? word : word.toLowerCase()))
    .join(' ')
}

const kinds = new Map([
  ['DefaultProduct', 'Product'],
  ['TrackingRecord', 'Tracking record']
])
export const kindOf = (componentName: string): string => kinds.get(componentName) ?? componentName

export const plural = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`
