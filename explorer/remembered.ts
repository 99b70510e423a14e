/** What a tab remembers over a reload and a login. Services on one origin, below different prefixes, stay apart. */
export const storagePlace = `product-templates explorer ${location.pathname.replace(/explorer\/[^/]*$/, '')} `

export const remember = (name: string, value: unknown): void =>
  value === undefined
    ? sessionStorage.removeItem(storagePlace + name)
    : sessionStorage.setItem(storagePlace + name, JSON.stringify(value))

export function recall<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(storagePlace + name)
  return text === null ? undefined : JSON.parse(text)
}
