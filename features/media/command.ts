import { type Command, CommandError, UsageError } from '../../terminal/command.ts'
import { jsonOption, printResult } from '../../terminal/result.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

const exportMedia: Command = {
  summary: 'Export uploaded pictures for IPFS',
  options: { '--car <file>': 'the CAR file; - for standard output', ...jsonOption },
  details: `
Writes a CAR file, which pinning services accept. It contains all uploaded and fetched pictures. Its root is
a folder that lists them. The content id of an uploaded picture is the one in the links of the templates.`,
  async run({ sources, options: { car, ...options } }) {
    if (car === undefined) throw new UsageError('give --car with the name of a file')
    if (options.json && car === '-') throw new UsageError('--json needs a file')
    const { findOriginal, listOriginals } = await import('./rows.ts')
    const { makeContentId, writeCar } = await import('./ipfs.ts')
    const { findExtension } = await import('./thumbnail.ts')
    const { writeOutput } = await import('../../terminal/output.ts')
    const exported = await withStore(sources, async db => {
      const originals = await listOriginals(db)
      if (originals.length === 0) throw new CommandError('no picture has been uploaded')
      // Fetched pictures have the link that they come from. Several links may have the same picture.
      const files = new Map<string, { name: string; read: () => Promise<Uint8Array> }>()
      for (const { key, type } of originals) {
        const read = async () => {
          const original = await findOriginal(db, key)
          if (!original) throw new CommandError(`the picture ${key} was deleted meanwhile: export again`)
          return original.bytes
        }
        const cid = key.startsWith('ipfs://') ? key.slice('ipfs://'.length) : makeContentId(await read())
        files.set(cid, { name: `${cid}.${findExtension(type)}`, read })
      }
      await writeOutput(car, writeCar([...files.values()]))
      return files.size
    })
    if (car !== '-') printResult(options, { exported }, `Exported ${exported} pictures.`)
  }
}

const deletion: Command = {
  summary: 'Delete a picture',
  args: '<picture>',
  options: jsonOption,
  details: `
Deletes an uploaded picture by its content id, or any picture by its link. Clients may keep a cached copy for a year.
Templates keep their links to it: a picture of a host in IMAGE_SOURCES is fetched again when somebody looks at it.`,
  async run({ sources, options }, picture = '') {
    const { deletePicture } = await import('./rows.ts')
    const key = picture.includes(':') ? picture : `ipfs://${picture}`
    const others = await withStore(sources, db => deletePicture(db, key, makeActor()))
    if (!others) throw new CommandError(`there is no picture ${key}`)
    const more = others.length > 0 ? ` The same picture is at ${others.join(', ')}.` : ''
    printResult(options, { deleted: key, others }, `Deleted the picture ${key}.${more}`)
  }
}

export const command: Command = {
  summary: 'Export and delete uploaded pictures',
  subcommands: { export: exportMedia, delete: deletion }
}
