import { client } from '../../../../explorer/api.ts'
import { formatCount } from '../../../../explorer/format.ts'
import { runParallel } from '../../../../explorer/parallel.ts'
import { forgetPicture } from '../../../../explorer/picture/use-picture.ts'
import type { Mapping } from '../../tables/mapping.ts'
import type { Contents } from '../file/open-file.ts'
import { isWritten } from '../rows/judge.ts'
import { judgeRecords } from '../rows/preview.ts'
import type { Picture, Pictures } from './chosen-pictures.ts'

/** The number of parallel uploads. */
const maxUploads = 3

interface Options {
  pictures: Pictures
  replaces: boolean
  imported: ReadonlySet<number>
  onProgress: (progress: string) => void
}

/** Uploads the pictures that an import needs, and sets their links. Returns the reason if an upload failed. */
export async function uploadPictures(
  contents: Contents,
  mapping: Mapping | undefined,
  { pictures, replaces, imported, onProgress }: Options
): Promise<string | undefined> {
  const needed = new Set<Picture>()
  if (pictures.size > 0)
    for await (const verdict of judgeRecords(contents, mapping, pictures, imported))
      for (const name of (isWritten(verdict, replaces) && verdict.pictures) || []) {
        const picture = pictures.get(name)
        if (picture && !picture.link) needed.add(picture)
      }
  let done = 0
  const upload = async (picture: Picture) => {
    onProgress(`Uploading pictures: ${formatCount(done)} of ${formatCount(needed.size)}`)
    try {
      picture.link = (await client.uploadPicture(picture.file)).link
    } catch (error) {
      throw new Error(`${picture.file.name} was not stored: ${(error as Error).message}.`)
    }
    forgetPicture(picture.link)
    done++
  }
  return runParallel(needed, maxUploads, upload).then(
    () => undefined,
    (error: Error) => error.message
  )
}
