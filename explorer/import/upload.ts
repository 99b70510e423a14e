import type { Mapping } from '../../tables/mapping.ts'
import { client } from '../api.ts'
import { forget } from '../face/picture.ts'
import { count } from '../words.ts'
import type { Picture, Pictures } from './chosen-pictures.ts'
import { isWritten } from './judge.ts'
import { verdicts } from './look.ts'
import type { Contents } from './open-file.ts'

/** The number of parallel uploads. */
const atOnce = 3

interface Options {
  pictures: Pictures
  replaces: boolean
  imported: ReadonlySet<number>
  tell: (progress: string) => void
}

/** Uploads the pictures that an import needs, and sets their links. Returns the reason if an upload failed. */
export async function upload(
  contents: Contents,
  mapping: Mapping | undefined,
  { pictures, replaces, imported, tell }: Options
): Promise<string | undefined> {
  const needed = new Set<Picture>()
  if (pictures.size > 0)
    for await (const verdict of verdicts(contents, mapping, pictures, imported))
      for (const name of (isWritten(verdict, replaces) && verdict.pictures) || []) {
        const picture = pictures.get(name)
        if (picture && !picture.link) needed.add(picture)
      }
  let refused: string | undefined
  let done = 0
  const waiting = needed.values()
  const work = async () => {
    for (const picture of waiting) {
      if (refused !== undefined) return
      tell(`Uploading pictures: ${count(done)} of ${count(needed.size)}`)
      try {
        picture.link = (await client.uploadPicture(picture.file)).link
        forget(picture.link)
        done++
      } catch (error) {
        refused ??= `${picture.file.name} was not stored: ${(error as Error).message}.`
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return refused
}
