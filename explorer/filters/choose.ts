import { type Wanted, writeWanted } from '../gallery/wanted.ts'
import { go, hrefOf } from '../place.ts'

/** Shows the gallery with these criteria. */
export const choose = (wanted: Wanted) => go(hrefOf([], writeWanted(wanted)))

/** Adds a value to a list, or removes it. */
export const toggled = <T>(list: T[], one: T, isSame = (a: T, b: T) => a === b): T[] =>
  list.some(each => isSame(each, one)) ? list.filter(each => !isSame(each, one)) : [...list, one]
