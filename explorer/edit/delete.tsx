import { useRef, useState } from 'preact/hooks'
import { forgetList } from '../gallery/gallery.tsx'
import { remove } from './save.ts'

/** Deletes the template, after a sentence that says what stays. */
export function Delete({ id, revision, onDeleted }: { id: number; revision: number; onDeleted: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [problem, setProblem] = useState('')
  const run = async () => {
    try {
      const { problems } = await remove(id, revision)
      if (problems.length > 0) return setProblem(problems.map(({ message }) => message).join(' '))
      forgetList()
      onDeleted()
    } catch {
      setProblem('The service did not answer.')
    }
  }
  return (
    <>
      <button type="button" class="button plain" onClick={() => dialog.current?.showModal()}>
        Delete
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="delete-title">
        <h1 id="delete-title">Delete template {id}?</h1>
        <p class="muted">Its revisions are kept: it can be restored at its address.</p>
        {problem !== '' && <p class="notice warning">{problem}</p>}
        <div class="foot">
          <button type="button" class="button primary" onClick={run}>
            Delete
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  )
}
