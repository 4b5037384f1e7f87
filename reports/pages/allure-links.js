// Allure shows links to files beside it as plain text: this makes them links again.
new MutationObserver(() => {
  for (const span of document.querySelectorAll('[data-testid="test-result-meta-link"] > span')) {
    const link = span.querySelector('a') ?? span.appendChild(document.createElement('a'));
    // The text node moves into the link, so that Allure goes on writing to it.
    if (span.firstChild !== link) link.append(span.firstChild);
    link.style.color = 'inherit';
    link.href = `../${link.textContent}`;
  }
}).observe(document, { subtree: true, childList: true, characterData: true });
