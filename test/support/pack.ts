import { openLock } from '../../build/files.ts'

/** Packs the checkout while no other test does: `npm pack` deletes `dist` and builds it anew. */
export async function packAlone<Result>(pack: () => Promise<Result>): Promise<Result> {
  const lock = openLock('pack')
  try {
    return await pack()
  } finally {
    lock.close()
  }
}
