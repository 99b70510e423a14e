import { useRef, useState } from 'preact/hooks'
import { write } from '../asking.ts'

interface Props {
  id: number
  revision: number
  /** The number of the current revision; undefined if the template is deleted. */
  current?: number
  onRestored: () => void
}

interface Answer {
  restoreProduct: { userErrors: { message: string }[] } | null
}

const mutation = `mutation Restore($id: Int!, $revision: Int!) {
  restoreProduct(id: $id, revision: $revision) { userErrors { message } }
}`

/** Restores a revision, after a sentence that says what will happen. */
export function Restore({ id, revision, current, onRestored }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [problem, setProblem] = useState('')
  const restore = async () => {
    try {
      const { restoreProduct } = await write<Answer>(mutation, { id, revision })
      const messages = restoreProduct?.userErrors.map(({ message }) => message) ?? []
      if (messages.length > 0) return setProblem(messages.join(' '))
      dialog.current?.close()
      onRestored()
    } catch {
      setProblem('The service did not answer. Nothing was changed, as far as this page knows.')
    }
  }
  return (
    <>
      <button type="button" class="button" onClick={() => dialog.current?.showModal()}>
        Restore revision {revision}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="restore-title">
        <h1 id="restore-title">Restore revision {revision}?</h1>
        <p class="description">
          The template gets the contents of revision {revision} again, as{' '}
          {current === undefined ? 'a new revision' : `revision ${current + 1}`}. No revision is lost.
        </p>
        {problem !== '' && <p class="notice warning">{problem}</p>}
        <div class="state">
          <button type="button" class="button primary" onClick={restore}>
            Restore
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  )
}
