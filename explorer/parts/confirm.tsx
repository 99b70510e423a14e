import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Problems } from './problems.tsx'
import { useAction } from './use-action.ts'
import { busy } from './use-busy.ts'
import './dialog.css'

interface Props {
  /** The question, such as `Delete template 7?`. */
  title: string
  /** The label of the button that opens the dialog. */
  label: ComponentChildren
  /** The label of the button that confirms. */
  confirmLabel: string
  cancelLabel?: string
  /** The consequence for the user's own account or client. If it is set, the user must confirm twice. */
  ownWarning?: string | undefined
  /** How prominent the button is; `danger` also makes the button that confirms red. */
  look?: 'plain' | 'primary' | 'cancel' | 'danger'
  disabled?: boolean
  /** Returns whether to ask before the action. The default is always. */
  isNeeded?: ((button: HTMLButtonElement) => boolean) | undefined
  /** What the action will do. */
  children: ComponentChildren
  /**
   * Runs the action. Returns its problems; if there are any, the dialog stays open. Throws if the service does not
   * answer.
   */
  onConfirm: () => Promise<string[]>
}

/** A button whose action must be confirmed: once, or twice if it concerns the user's own account. */
export function Confirm({
  title,
  label,
  confirmLabel,
  cancelLabel = 'Cancel',
  ownWarning,
  look,
  disabled,
  isNeeded,
  children,
  onConfirm
}: Props) {
  const { dialog, isBusy, problems, open, close, run } = useAction(onConfirm)
  const cancel = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [isSecondStep, setSecondStep] = useState(false)
  const openFirstStep = ({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
    setSecondStep(false)
    if (isNeeded?.(currentTarget) === false) run()
    else open()
  }
  useEffect(() => {
    if (isSecondStep) cancel.current?.focus()
  }, [isSecondStep])
  const needsSecondStep = ownWarning !== undefined && !isSecondStep
  // The second time, the buttons are swapped, so that a double click does not confirm twice.
  const buttons = [
    <button
      key="confirm"
      type="button"
      class={look === 'danger' ? 'button danger primary' : 'button primary'}
      {...busy(isBusy)}
      onClick={needsSecondStep ? () => setSecondStep(true) : run}
    >
      {isSecondStep ? `${confirmLabel}, I am sure` : confirmLabel}
    </button>,
    <button key="cancel" ref={cancel} type="button" class="button" onClick={close}>
      {cancelLabel}
    </button>
  ]
  return (
    <>
      <button type="button" class={`button ${look ?? ''}`} disabled={disabled} onClick={openFirstStep}>
        {label}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id}>
        <h1 id={id}>{isSecondStep ? 'Do this to yourself?' : title}</h1>
        {/* Hidden, not removed: it may contain fields. */}
        <div class="muted" hidden={isSecondStep}>
          {children}
        </div>
        {isSecondStep && <p class="notice warning">{ownWarning}</p>}
        <Problems problems={problems} />
        <div class="buttons">{isSecondStep ? buttons.toReversed() : buttons}</div>
      </dialog>
    </>
  )
}
