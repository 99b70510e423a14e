import { useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import { busy, useBusy } from '../parts/use-busy.ts'
import './picture-problem.css'
import { isOfWeb, showStored, usePicture } from './use-picture.ts'

/** Says why the picture of a link is not shown, and lets publishers have it fetched and stored. */
export function PictureProblem({ link }: { link: string | null | undefined }) {
  const problem = usePicture(link)?.problem
  const [failure, setFailure] = useState<string>()
  const [isBusy, runOnce] = useBusy()
  if (!link || problem === undefined) return null
  const fetchOnce = async () => {
    const { fetchPicture } = await import('./fetch-picture.ts')
    const refused = await fetchPicture(link)
    setFailure(refused)
    if (refused === undefined) showStored([link])
  }
  return (
    <div class="picture-problem">
      <p class="muted" role={failure === undefined ? undefined : 'alert'}>
        {failure === undefined ? `No picture: ${problem}.` : `The picture was not stored: ${failure}.`}
      </p>
      {mayPublish() && isOfWeb(link) && (
        <button type="button" class="button" {...busy(isBusy)} onClick={() => runOnce(fetchOnce)}>
          Fetch and store it
        </button>
      )}
    </div>
  )
}
