import type { Db } from '../../db/schema.ts'
import type { Command } from '../../terminal/command.ts'
import { startProgress } from '../../terminal/progress.ts'
import { jsonOption, printJson } from '../../terminal/result.ts'
import { bulkTimeout, withStore } from '../../terminal/store.ts'

export const command: Command = {
  summary: 'Rebuild the index that finds templates',
  options: jsonOption,
  details: `
Filters, search and facets use this index. The service rebuilds it if necessary, so run this only if the index
seems wrong. Services on the same database keep running and return correct results. If the command was stopped,
run it again: it continues where it stopped.`,
  async run({ sources, options }) {
    const { beginRebuild, continueRebuild } = await import('../../db/templates/template-index/rebuild.ts')
    const job = async (db: Db) => {
      const progress = startProgress('Indexing')
      await beginRebuild(db)
      await continueRebuild(db, { progress: progress.update })
      progress.finish('The index of templates is complete.')
      if (options.json) printJson({ complete: true })
    }
    await withStore(sources, job, bulkTimeout)
  }
}
