import { text } from './setting.ts'

/** Splits a list of names, which may have spaces. */
export const toNames = (list: string): string[] =>
  list
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)

/** Settings of the explorer. */
export const explorerSettings = {
  explorerFilters: text(list => toNames(list).length > 0, {
    expected: 'names of traits, such as MadeIn, Price EUR',
    description:
      'names of the traits that are the first filters in the explorer, in their order, separated by commas'
  })
}
