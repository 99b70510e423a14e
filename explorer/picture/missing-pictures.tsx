import type { FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import { selection } from '../gallery/selection.ts'
import { loadForTab, saveForTab } from '../storage.ts'
import type { FetchDialogProps } from './fetch-dialog.tsx'
import { missingLinks } from './use-picture.ts'

const dismissal = 'missing pictures dismissed'

/** Offers publishers to fetch the pictures that the gallery cannot show. */
export function MissingPictures({ where }: { where: object | undefined }) {
  const [Dialog, setDialog] = useState<FunctionComponent<FetchDialogProps>>()
  const [isDismissed, setDismissed] = useState(() => loadForTab<boolean>(dismissal) ?? false)
  const links = [...missingLinks.value]
  if (!Dialog && (links.length === 0 || isDismissed || selection.value || !mayPublish())) return null
  const hosts = [...new Set(links.map(link => URL.parse(link)?.host))]
  // Loaded on demand, because it is rarely used.
  const open = async () => {
    const { FetchDialog } = await import('./fetch-dialog.tsx')
    setDialog(() => FetchDialog)
  }
  const dismiss = () => {
    saveForTab(dismissal, true)
    setDismissed(true)
  }
  return (
    <>
      {/* Floats, so that no card moves when it appears. On a narrow screen, it would cover cards. */}
      {links.length > 0 && (
        <div class="missing-pictures card" role="status">
          {hosts.length === 1 ? `Pictures from ${hosts[0]} are missing.` : 'Some pictures are missing.'}
          <button type="button" class="button" onClick={open}>
            Fetch pictures…
          </button>
          <button type="button" class="button plain" onClick={dismiss}>
            Not now
          </button>
        </div>
      )}
      {Dialog && <Dialog where={where ?? {}} onClose={() => setDialog(undefined)} />}
    </>
  )
}
