import { useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import { Button } from '../ui/button.tsx'
import './picture.css'
import { isOfWeb, showStored, usePicture } from './use-picture.ts'

/** Says why the picture of a link is not shown, and lets publishers have it fetched and stored. */
export function PictureProblem({ link }: { link: string | null | undefined }) {
  const problem = usePicture(link)?.problem
  const [failure, setFailure] = useState<string>()
  if (!link || (problem === undefined && failure === undefined)) return null
  const fetchOnce = async () => {
    const refused = await import('./fetch-picture.ts')
      .then(({ fetchPicture }) => fetchPicture(link))
      .catch(() => 'the service did not answer')
    setFailure(refused)
    showStored([link])
  }
  return (
    <div class="picture-problem stack">
      <p class="muted" role={failure === undefined ? undefined : 'alert'}>
        {failure === undefined ? `No picture: ${problem}.` : `The picture was not stored: ${failure}.`}
      </p>
      {mayPublish() && isOfWeb(link) && <Button onClick={fetchOnce}>Fetch and store it</Button>}
    </div>
  )
}
