// Texts in English and in Chinese. The browser's language decides.

const isChinese = navigator.language.toLowerCase().startsWith("zh");

const GAP = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

/** Between the parts of a list. */
export const listing = isChinese ? "，" : ", ";

/** For numbers and times. */
export const locale = isChinese ? "zh" : "en";

/**
 * What says a page's texts.
 * @template {string} Text
 * @param {Record<Text, string>} english
 * @param {Record<NoInfer<Text>, string>} chinese
 */
export function inLanguages(english, chinese) {
  const texts = isChinese ? chinese : english;

  /**
   * The text in the reader's language, its {gaps} filled; {n:turn|turns} is "turn" where n is 1.
   * @param {Text} text
   * @param {Record<string, string | number>} [gaps]
   */
  function say(text, gaps = {}) {
    return texts[text].replace(GAP, (gap, name, one, others) => {
      if (one !== undefined) return gaps[name] === 1 ? one : others;
      return String(gaps[name] ?? gap);
    });
  }

  /**
   * Like `say`, for names that come from the server: null when we have no text for it.
   * @param {string} name
   */
  function sayIfKnown(name) {
    return Object.hasOwn(texts, name) ? say(/** @type {Text} */ (name)) : null;
  }

  /** Puts the texts where the document asks for them: data-text, data-label, data-placeholder. */
  function translateDocument() {
    document.documentElement.lang = locale;
    for (const element of document.querySelectorAll("[data-text]"))
      element.textContent = say(wanted(element, "data-text"));
    for (const element of document.querySelectorAll("[data-label]"))
      element.setAttribute("aria-label", say(wanted(element, "data-label")));
    for (const element of document.querySelectorAll("[data-placeholder]"))
      element.setAttribute("placeholder", say(wanted(element, "data-placeholder")));
  }

  /**
   * @param {Element} element
   * @param {string} attribute
   */
  function wanted(element, attribute) {
    return /** @type {Text} */ (element.getAttribute(attribute));
  }

  return { say, sayIfKnown, translateDocument };
}
