import { mayWrite } from '../api.ts'
import { useRead } from '../ui/use-read.ts'
import { readContents, readRevisions } from './read.ts'
import { Restore } from './restore.tsx'

/** Shown if the template does not exist or was deleted. */
export function Gone({ id, onRestored }: { id: number; onRestored: () => void }) {
  const { data: last } = useRead(stop => findLast(id, stop), [id])
  return (
    <div>
      <h1>{last ? `${last.name || `Template ${id}`} was deleted` : `There is no template ${id}`}</h1>
      {last && (
        <>
          <p class="description">Its revisions are kept.</p>
          <div class="state across">
            {mayWrite() && <Restore id={id} revision={last.revision} onRestored={onRestored} />}
          </div>
        </>
      )}
      <p>
        <a href="#/">All templates</a> · <a href="#/deleted">Deleted templates</a>
      </p>
    </div>
  )
}

/** Finds the last revision before the deletion. */
async function findLast(id: number, stop: AbortSignal) {
  const { nodes } = await readRevisions(id, undefined, stop)
  const revision = nodes.find(({ action }) => action !== 'DELETE')?.number
  if (revision === undefined) return undefined
  return { revision, name: (await readContents(id, revision, stop))?.name ?? '' }
}
