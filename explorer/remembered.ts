import { type Signal, signal } from '@preact/signals'

/** Where the browser keeps what the explorer remembers. Services on one origin, below different prefixes, stay apart. */
const storagePlace = `product-templates explorer ${location.pathname.replace(/explorer\/[^/]*$/, '')} `

/** What a tab remembers over a reload and a login. */
export const remember = (name: string, value: unknown): void => write(sessionStorage, name, value)
export const recall = <T>(name: string): T | undefined => read(sessionStorage, name)

/** What the browser remembers, for all tabs. */
export function rememberLong(name: string, value: unknown): void {
  try {
    write(localStorage, name, value)
  } catch {
    // The browser has no room: it is forgotten.
  }
}
export const recallLong = <T>(name: string): T | undefined => read(localStorage, name)

/** A choice of the user that the browser remembers. */
export function createSetting<T>(name: string, initial: T): Signal<T> {
  const setting = signal(recallLong<T>(name) ?? initial)
  setting.subscribe(value => rememberLong(name, value))
  return setting
}

function write(storage: Storage, name: string, value: unknown): void {
  if (value === undefined) storage.removeItem(storagePlace + name)
  else storage.setItem(storagePlace + name, JSON.stringify(value))
}

function read<T>(storage: Storage, name: string): T | undefined {
  const text = storage.getItem(storagePlace + name)
  return text === null ? undefined : JSON.parse(text)
}
