/** What a tab remembers over a reload and a login. Services on one origin, below different prefixes, stay apart. */
const place = `product-templates explorer ${location.pathname.replace(/explorer\/[^/]*$/, '')} `

export const remember = (name: string, value: unknown): void =>
  value === undefined
    ? sessionStorage.removeItem(place + name)
    : sessionStorage.setItem(place + name, JSON.stringify(value))

export function recall<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(place + name)
  return text === null ? undefined : JSON.parse(text)
}
