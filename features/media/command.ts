import { type Command, CommandError, UsageError } from '../../terminal/command.ts'
import { jsonOption, printResult } from '../../terminal/result.ts'
import { withStore } from '../../terminal/store.ts'

const exportMedia: Command = {
  summary: 'Export uploaded pictures for IPFS',
  options: { '--car <file>': 'the CAR file; - for standard output', ...jsonOption },
  details: `
Writes a CAR file, which pinning services accept. It contains the blocks of all uploaded pictures, and those of a folder
with all pictures, which is its root. The content id of each picture is the one in the links of the templates.`,
  async run({ sources, options: { car, ...options } }) {
    if (car === undefined) throw new UsageError('give --car with the name of a file')
    if (options.json && car === '-') throw new UsageError('--json needs a file')
    const { findUpload, listUploads } = await import('./rows.ts')
    const { writeCar } = await import('./ipfs.ts')
    const { findExtension } = await import('./shrink.ts')
    const { writeOutput } = await import('../../terminal/output.ts')
    const exported = await withStore(sources, async db => {
      const uploads = await listUploads(db)
      if (uploads.length === 0) throw new CommandError('no picture has been uploaded')
      const files = uploads.map(({ source, type }) => ({
        name: `${source.replace('ipfs://', '')}.${findExtension(type)}`,
        read: async () => (await findUpload(db, source))?.bytes ?? Buffer.alloc(0)
      }))
      await writeOutput(car, writeCar(files))
      return uploads.length
    })
    if (car !== '-') printResult(options, { exported }, `Exported ${exported} pictures.`)
  }
}

export const command: Command = {
  summary: 'Export uploaded pictures',
  subcommands: { export: exportMedia }
}
