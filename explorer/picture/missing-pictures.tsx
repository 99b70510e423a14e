import type { FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import type { FetchDialogProps } from './fetch-dialog.tsx'
import { missingLinks } from './use-picture.ts'

/** Offers publishers to fetch the pictures that the gallery cannot show. */
export function MissingPictures({ where }: { where: object | undefined }) {
  const [Dialog, setDialog] = useState<FunctionComponent<FetchDialogProps>>()
  const links = [...missingLinks.value]
  if (!Dialog && (links.length === 0 || !mayPublish())) return null
  const hosts = [...new Set(links.map(link => URL.parse(link)?.host))]
  // Loaded on demand, because it is rarely used.
  const open = async () => {
    const { FetchDialog } = await import('./fetch-dialog.tsx')
    setDialog(() => FetchDialog)
  }
  return (
    <>
      <p class="notice missing-pictures">
        {hosts.length === 1 ? `Pictures from ${hosts[0]} are missing.` : 'Some pictures are missing.'}
        <button type="button" class="button" onClick={open}>
          Fetch pictures…
        </button>
      </p>
      {Dialog && <Dialog where={where ?? {}} onClose={() => setDialog(undefined)} />}
    </>
  )
}
