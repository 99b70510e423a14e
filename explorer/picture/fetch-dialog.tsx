import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formatCount, plural } from '../format.ts'
import { isAborted } from '../requests.ts'
import { hrefOf } from '../route.ts'
import '../parts/dialog.css'
import './fetch-dialog.css'
import { describeFailure } from '../api.ts'
import { fetchMissing, findMissing, type Missing } from './fetch-missing.ts'
import { showStored } from './use-picture.ts'

export interface FetchDialogProps {
  /** The templates whose pictures are fetched. */
  where: object
  onClose: () => void
}

interface Progress {
  done: number
  total: number | undefined
}

type Failure = Missing & { reason: string }

/**
 * Finds the pictures that the service does not have, and fetches them. What has been fetched stays if the dialog is
 * closed; when it is opened again, only the others are missing.
 */
export function FetchDialog({ where, onClose }: FetchDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [stop] = useState(() => new AbortController())
  const [missing, setMissing] = useState<Missing[]>()
  const [progress, setProgress] = useState<Progress>()
  const [stored, setStored] = useState(0)
  const [failures, setFailures] = useState<Failure[]>([])
  const [problem, setProblem] = useState('')
  const report = (error: unknown, noAnswer?: string) =>
    isAborted(error) || setProblem(describeFailure(error, noAnswer))
  useEffect(() => {
    dialog.current?.showModal()
    setProgress({ done: 0, total: undefined })
    findMissing(where, (done, total) => setProgress({ done, total }), stop.signal)
      .then(setMissing)
      .catch(error => report(error, 'The service did not answer. Close this, and try again later.'))
      .finally(() => setProgress(undefined))
    return () => stop.abort()
  }, [])
  const run = async (wanted: Missing[]) => {
    const [fetched, failed]: [string[], Failure[]] = [[], []]
    setFailures([])
    setProgress({ done: 0, total: wanted.length })
    try {
      for await (const [one, reason] of fetchMissing(wanted, stop.signal)) {
        if (reason === undefined) fetched.push(one.link)
        else failed.push({ ...one, reason })
        setProgress({ done: fetched.length + failed.length, total: wanted.length })
      }
    } catch (error) {
      report(error)
    } finally {
      showStored(
        fetched,
        failed.map(({ link }) => link)
      )
      setStored(before => before + fetched.length)
      setFailures(failed)
      const done = new Set([...fetched, ...failed.map(({ link }) => link)])
      setMissing(wanted.filter(({ link }) => !done.has(link)))
      setProgress(undefined)
    }
  }
  const left = [...(missing ?? []), ...failures]
  return (
    <dialog ref={dialog} class="dialog fetch-dialog" aria-labelledby={title} onClose={onClose}>
      <h1 id={title}>Fetch pictures</h1>
      <p class="muted">
        The service fetches each picture from its web page and keeps a copy. The templates do not change.
      </p>
      {progress && (
        <>
          <progress aria-label="Progress" max={progress.total} value={progress.total && progress.done} />
          <p>
            {missing ? 'Fetched' : 'Checked'} {formatCount(progress.done)}
            {progress.total !== undefined && ` of ${formatCount(progress.total)}`}
          </p>
        </>
      )}
      <p role="status">
        {!progress && stored > 0 && `${plural(stored, 'picture is', 'pictures are')} stored. `}
        {!progress && missing && left.length === 0 && 'No picture is missing.'}
        {!progress && failures.length > 0 && `${plural(failures.length, 'picture')} could not be fetched:`}
      </p>
      {problem !== '' && (
        <p class="notice warning" role="alert">
          {problem}
        </p>
      )}
      {!progress && failures.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <ul tabIndex={0} aria-label="Pictures that could not be fetched">
          {failures.map(({ id, name, link, reason }) => (
            <li key={link}>
              <a href={hrefOf(['templates', id])}>{name || `Template ${id}`}</a>: {reason}
              <span class="muted">{link}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        {!progress && left.length > 0 && (
          <button type="button" class="button primary" onClick={() => run(left)}>
            {failures.length > 0 ? 'Try these again' : `Fetch ${plural(left.length, 'picture')}`}
          </button>
        )}
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {progress ? 'Stop' : 'Close'}
        </button>
      </div>
    </dialog>
  )
}
