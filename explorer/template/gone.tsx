import { useEffect, useState } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { readRevisions } from './read.ts'
import { Restore } from './restore.tsx'

/** Shown for a template that does not exist, or no longer. */
export function Gone({ id, onRestored }: { id: number; onRestored: () => void }) {
  const [last, setLast] = useState<number>()
  useEffect(() => {
    readRevisions(id)
      .then(({ nodes }) => setLast(nodes.find(({ action }) => action !== 'DELETE')?.number))
      .catch(() => {})
  }, [id])
  return (
    <main id="main" class="template" tabIndex={-1}>
      <div>
        <h1>{last === undefined ? `There is no template ${id}` : `Template ${id} was deleted`}</h1>
        {last !== undefined && (
          <>
            <p class="description">Its revisions are kept.</p>
            <div class="state">
              {mayWrite() && <Restore id={id} revision={last} onRestored={onRestored} />}
            </div>
          </>
        )}
        <p>
          <a href="#/">All templates</a> · <a href="#/deleted">Deleted templates</a>
        </p>
      </div>
    </main>
  )
}
