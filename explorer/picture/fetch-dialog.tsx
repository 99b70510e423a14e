import { useEffect, useState } from 'preact/hooks'
import { formatCount, plural } from '../format.ts'
import { isAborted } from '../requests.ts'
import { hrefOf } from '../route.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, Problems } from '../ui/dialog.tsx'
import './picture.css'
import { describeFailure } from '../api.ts'
import { runParallel } from '../parallel.ts'
import { findMissing, type Missing, parallel } from './fetch-missing.ts'
import { fetchPicture } from './fetch-picture.ts'
import { showStored } from './use-picture.ts'

export interface FetchDialogProps {
  /** The templates whose pictures are fetched. */
  where: object
  /** Called with whether each missing picture was tried and some could not be fetched. */
  onClose: (hasOnlyFailures: boolean) => void
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
  const [stop] = useState(() => new AbortController())
  const [missing, setMissing] = useState<Missing[]>()
  const [progress, setProgress] = useState<Progress>()
  const [stored, setStored] = useState(0)
  const [failures, setFailures] = useState<Failure[]>([])
  const [problem, setProblem] = useState('')
  const report = (error: unknown, noAnswer?: string) =>
    isAborted(error) || setProblem(describeFailure(error, noAnswer))
  const find = () => {
    setProblem('')
    setProgress({ done: 0, total: undefined })
    findMissing(where, (done, total) => setProgress({ done, total }), stop.signal)
      .then(setMissing)
      .catch(error => report(error, 'The service did not answer.'))
      .finally(() => setProgress(undefined))
  }
  useEffect(() => {
    find()
    return () => stop.abort()
  }, [])
  const run = async (wanted: Missing[]) => {
    const [fetched, failed]: [string[], Failure[]] = [[], []]
    setFailures([])
    setProgress({ done: 0, total: wanted.length })
    try {
      await runParallel(wanted, parallel, async one => {
        const reason = await fetchPicture(one.link, stop.signal)
        if (reason === undefined) fetched.push(one.link)
        else failed.push({ ...one, reason })
        setProgress({ done: fetched.length + failed.length, total: wanted.length })
      })
    } catch (error) {
      report(error)
    } finally {
      setStored(before => before + fetched.length)
      setFailures(failed)
      const done = new Set([...fetched, ...failed.map(({ link }) => link)])
      showStored([...done])
      setMissing(wanted.filter(({ link }) => !done.has(link)))
      setProgress(undefined)
    }
  }
  const close = () => onClose(failures.length > 0 && missing?.length === 0)
  const left = [...(missing ?? []), ...failures]
  return (
    <Dialog title="Fetch pictures" class="fetch-dialog" onClose={close}>
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
      <Problems problems={problem} />
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
          <Button look="primary" onClick={() => run(left)}>
            {failures.length > 0 ? 'Try these again' : `Fetch ${plural(left.length, 'picture')}`}
          </Button>
        )}
        {problem !== '' && !missing && !progress && (
          <Button look="primary" onClick={find}>
            Try again
          </Button>
        )}
        <Button onClick={close}>{progress ? 'Stop' : 'Close'}</Button>
      </div>
    </Dialog>
  )
}
