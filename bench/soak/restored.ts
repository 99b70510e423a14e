import Sqlite from 'better-sqlite3'

/**
 * Checks that a restored store is a state that existed: each template has its last write before a certain write, which
 * lies between `before` and `after`. Returns the number of that write; throws an Error otherwise.
 */
export function checkRestored(path: string, ids: number[], before: number, after: number): number {
  const file = new Sqlite(path, { readonly: true })
  try {
    const find = file.prepare('select data from product_template where id = ?').pluck()
    const numbers = ids.map(id => Number(/"write (\d+)"/.exec(String(find.get(id)))?.[1]))
    const last = Math.max(...numbers)
    if (!(last >= before && last <= after))
      throw new Error(`the backup ends with write ${last}, not one from ${before} to ${after}`)
    const expected = ids.map((_, index) => last - ((((last - index) % ids.length) + ids.length) % ids.length))
    const wrong = numbers.findIndex((number, index) => number !== expected[index])
    if (wrong >= 0)
      throw new Error(`template ${ids[wrong]} has write ${numbers[wrong]}, not ${expected[wrong]} of ${last}`)
    return last
  } finally {
    file.close()
  }
}
