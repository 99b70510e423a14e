import { useEffect } from 'preact/hooks'

/**
 * Sets the title of the window, unless it is not known yet; again when the inputs change, because another part of the
 * page may have set its own.
 */
export function useTitle(title: string | undefined, inputs: readonly unknown[] = []): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === 'Templates' ? title : `${title} · Templates`
  }, [title, ...inputs])
}
