/** Reads a value that the service wrote into the page. */
export const metaContent = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? ''
