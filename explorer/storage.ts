import { type Signal, signal } from '@preact/signals'

/** The prefix of all storage keys. It keeps services apart that share an origin under different prefixes. */
const keyPrefix = `product-templates explorer ${location.pathname.replace(/explorer\/[^/]*$/, '')} `

/** A value of this tab that survives a reload and a login. */
export const saveForTab = (name: string, value: unknown): void => write(sessionStorage, name, value)
export const loadForTab = <T>(name: string): T | undefined => read(sessionStorage, name)

/** A value that all tabs of the browser share. */
export function saveForBrowser(name: string, value: unknown): void {
  try {
    write(localStorage, name, value)
  } catch {
    // The storage is full. The value is lost.
  }
}
export const loadForBrowser = <T>(name: string): T | undefined => read(localStorage, name)

/** A setting of the user that the browser remembers. */
export function createSetting<T>(name: string, initial: T): Signal<T> {
  const setting = signal(loadForBrowser<T>(name) ?? initial)
  setting.subscribe(value => saveForBrowser(name, value))
  return setting
}

function write(storage: Storage, name: string, value: unknown): void {
  if (value === undefined) storage.removeItem(keyPrefix + name)
  else storage.setItem(keyPrefix + name, JSON.stringify(value))
}

function read<T>(storage: Storage, name: string): T | undefined {
  const text = storage.getItem(keyPrefix + name)
  return text === null ? undefined : JSON.parse(text)
}
