// The theme puts wide tables into boxes that scroll. A reader without a mouse has to reach them.
"use strict";
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) box.tabIndex = 0;
}).observe(document.documentElement, { childList: true, subtree: true });
